"""Who wants to know of the kernels that run: the command line, while it runs a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from .compiled import Compiled
from .simulate import Outcome


@dataclass(frozen=True)
class Run:
    """One call of a kernel: what was compiled, and what came of it."""

    compiled: Compiled
    outcome: Outcome


_RUNS: ContextVar[list[Run] | None] = ContextVar("runs", default=None)


@contextmanager
def observed() -> Iterator[list[Run]]:
    """Collect every call of a kernel that ends well while this is entered."""
    runs: list[Run] = []
    token = _RUNS.set(runs)
    try:
        yield runs
    finally:
        _RUNS.reset(token)


def record(compiled: Compiled, outcome: Outcome) -> None:
    """Tell the observer, if there is one, of a call."""
    runs = _RUNS.get()
    if runs is not None:
        runs.append(Run(compiled, outcome))
