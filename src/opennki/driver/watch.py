"""`Watch`: what a compilation tells of its stages, with the time and memory that each took.

Builders work whenever the kernel calls them, so their calls are timed one by one, and their share
is taken out of that of tracing.
"""

from __future__ import annotations

import functools
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

from opennki.builder import Codegen
from opennki.isa.registry import INSTRUCTIONS
from opennki.trace import Traced

from .counts import Counts, counts_of

BUILDING: Final = (*dict.fromkeys(cls.spec.emit for cls in INSTRUCTIONS), "open_loop", "close_loop")
"""The methods of a builder that are called while a kernel is traced."""


class _Clock:
    """Adds up seconds and held bytes of calls; calls inside of one are part of it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.held = 0
        self._running = False

    def time(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """`fn`, timed."""

        @functools.wraps(fn)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._running:
                return fn(*args, **kwargs)
            self._running = True
            held, start = tracemalloc.get_traced_memory()[0], perf_counter()
            try:
                return fn(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - start
                self.held += tracemalloc.get_traced_memory()[0] - held
                self._running = False

        return timed


@dataclass
class Measured:
    """One stage of a road.

    Attributes: name; counts, of what it left; seconds; held, bytes that
    Python holds more after it than before, and peak, the most while it ran (None where another
    stage runs around it); both are 0 unless `tracemalloc` counts.
    """

    name: str
    counts: Counts = field(default_factory=dict)
    seconds: float = 0.0
    held: int = 0
    peak: int | None = None


class Watch:
    """Collects the stages of one compilation, in order; stages of one name are one.

    It is an `Observe`: what is compiled tells it of every stage by calling it.
    """

    def __init__(self) -> None:
        self.stages: dict[str, Measured] = {}
        self.builder = ""
        self._begin()

    def clocked(self, cls: type[Codegen]) -> type[Codegen]:
        """The builder `cls` whose calls are timed; tracing begins with it."""
        self.builder = cls.__name__
        self._emit, self._finish = _Clock(), _Clock()
        methods = {name: self._emit.time(getattr(cls, name)) for name in BUILDING}
        methods["finish"] = self._finish.time(cls.finish)
        self._begin()
        return type(cls.__name__, (cls,), methods)

    def traced(self, traced: Traced) -> None:
        """Tracing that began with `clocked` is complete: `trace`, `emit`, and perhaps `lay-out`."""
        seconds = perf_counter() - self._start
        emit, finish = self._emit, self._finish
        self("trace", traced, seconds - emit.seconds - finish.seconds)
        self.stages["trace"].held -= emit.held + finish.held
        self._inside("emit", traced.function, emit)
        if traced.built is not None:
            self._inside("lay-out", traced.built, finish)
        self._begin()

    def __call__(self, name: str, made: object, seconds: float) -> None:
        """A stage is complete."""
        stage = self.stages.setdefault(name, Measured(name, peak=0))
        held, peak = tracemalloc.get_traced_memory()
        _add(stage.counts, made)
        stage.seconds += seconds
        stage.held += held - self._held
        stage.peak = max(stage.peak or 0, peak - self._held)
        self._begin()

    def _inside(self, name: str, made: object, clock: _Clock) -> None:
        stage = self.stages.setdefault(name, Measured(name))
        _add(stage.counts, made)
        stage.seconds += clock.seconds
        stage.held += clock.held

    def _begin(self) -> None:
        """What follows belongs to the next stage."""
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()
        self._held = tracemalloc.get_traced_memory()[0]
        self._start = perf_counter()


def _add(counts: Counts, made: object) -> None:
    for what, count in counts_of(made).items():
        counts[what] = counts.get(what, 0) + count
