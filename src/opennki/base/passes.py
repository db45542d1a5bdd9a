"""Passes: what one is, which states an IR can be in, and the text form of a pass and its options.

Each pass changes one representation in place and says in its declaration which states it needs and
which it brings about. What runs passes, checks between them and records what they did is in
`opennki.driver`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from enum import Enum
from time import perf_counter
from typing import Any, ClassVar, Final, Generic, TypeVar

from .codes import NKI4010, NKI4011
from .diag import Diagnostic, fail
from .text import Reader, name_text, nearest, number_text, string_text


class State(Enum):
    """What is known about an IR.

    TRACED: as a front door made it; VERIFIED: every rule was checked and holds; ALLOCATED: every
    storage has its address; FLAT: there are no loops; SCHEDULED: each engine has its queue.
    """

    TRACED = "TRACED"
    VERIFIED = "VERIFIED"
    ALLOCATED = "ALLOCATED"
    FLAT = "FLAT"
    SCHEDULED = "SCHEDULED"

    def __hash__(self) -> int:
        return id(self)


TRACED: Final = State.TRACED
VERIFIED: Final = State.VERIFIED
ALLOCATED: Final = State.ALLOCATED
FLAT: Final = State.FLAT
SCHEDULED: Final = State.SCHEDULED

Observe = Callable[[str, object, float], None]
"""Told after every stage of a road: its name, what it left, and its seconds."""


class Stages:
    """Tells `observe`, if there is one, of stages that follow each other without a gap."""

    def __init__(self, observe: Observe | None) -> None:
        self._observe = observe
        self._start = perf_counter()

    def done(self, name: str, made: object) -> None:
        """The stage is complete: it took the time since the last one was."""
        if self._observe is not None:
            self._observe(name, made, perf_counter() - self._start)
            self._start = perf_counter()


I = TypeVar("I")  # noqa: E741  # the representation that a pass works on


@dataclass
class PassContext:
    """What a pass may tell its runner.

    Attributes: diagnostics, problems that it found; counts, what it did, by name.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def report(self, found: Iterable[Diagnostic]) -> None:
        """Add problems."""
        self.diagnostics.extend(found)

    def count(self, what: str, number: int = 1) -> None:
        """Add `number` to the count of `what`."""
        self.counts[what] = self.counts.get(what, 0) + number


@dataclass(frozen=True)
class Pass(ABC, Generic[I]):
    """One transformation. A subclass is a frozen dataclass whose fields are its options.

    Attributes: name, in kebab-case; requires, states that must hold before; ensures, states that
    hold afterwards; breaks, states that may no longer hold then.
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[State]] = frozenset()
    ensures: ClassVar[frozenset[State]] = frozenset()
    breaks: ClassVar[frozenset[State]] = frozenset()

    @abstractmethod
    def run(self, ir: I, cx: PassContext) -> None:
        """Transform `ir` in place. Valid in, valid out."""

    @property
    def text(self) -> str:
        """``name{option=value, ...}`` with every option; `parse_pass` reads it back."""
        options = [
            f"{name_text(f.name)}={_option_text(getattr(self, f.name))}" for f in fields(self)
        ]
        return f"{self.name}{{{', '.join(options)}}}" if options else self.name


P = TypeVar("P", bound="type[Pass[Any]]")


def parse_pass(text: str, known: Iterable[P]) -> Pass[Any]:
    """The pass that `text` names, with its options: ``unroll-loops{limit=100}``.

    Raises: NKI4001 for text of another form, NKI4003 for a name that no class in `known` has,
        NKI4011 and NKI4010 for an option that the pass does not have or that is of another type.
    """
    r = Reader(text, "<pass>")
    at = r.here()
    name = r.name("the name of a pass")
    classes = {cls.name: cls for cls in known}
    cls = classes.get(name)
    if cls is None:
        raise r.unknown("pass", name, classes, at)
    options: dict[str, object] = {}
    if r.accept("{"):
        kinds = {f.name: type(f.default) for f in fields(cls)}
        for _ in r.items("}"):
            at = r.here()
            key = r.name("an option")
            if key not in kinds:
                close = nearest(key, kinds)
                raise fail(NKI4011, r.loc(at), where=name, field=key, close=close)
            if key in options:
                raise r.twice("option", key, at)
            r.expect("=")
            at = r.here()
            options[key] = value = _option(r)
            if type(value) is not kinds[key]:
                facts = {"expected": kinds[key].__name__, "got": type(value).__name__}
                raise fail(NKI4010, r.loc(at), field=key, where=name, **facts)
    r.expect_end()
    made: Pass[Any] = cls(**options)
    return made


def _option(r: Reader) -> object:
    if r.at_number():
        return r.number()
    if r.accept("true"):
        return True
    if r.accept("false"):
        return False
    return r.string("a number, a string, `true` or `false`")


def _option_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    assert isinstance(value, str), f"an option cannot be {value!r}"
    return string_text(value)


def unmet(passes: Iterable[Pass[Any]], states: Iterable[State]) -> list[tuple[Pass[Any], State]]:
    """Every pass that needs a state which `states` and the passes before it do not bring about."""
    have = set(states)
    missing = []
    for one in passes:
        missing += [(one, state) for state in State if state in one.requires and state not in have]
        have = (have - one.breaks) | one.ensures
    return missing
