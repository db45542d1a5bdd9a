"""Diagnostics: what is wrong with the user's program, as facts; the words are in `codes`.

A check yields a `Problem` (a code and its facts). The place that knows the instruction turns it
into a `Diagnostic` (with location, operands, notes). `render` turns that into text or JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from string import Formatter
from typing import Any, Final

from .loc import UNKNOWN, SrcLoc


class Severity(Enum):
    """How bad it is: only an error stops the compilation."""

    error = "error"
    warning = "warning"
    note = "note"


@dataclass(frozen=True)
class Code:
    """One entry of the error catalogue.

    Attributes: id (``NKI2104``); title, a noun phrase; template, the message with ``{fact}``
    fields; hint, what to do, with the same fields; why, the longer explanation with its source;
    wrong and right, one failing example and its repair; severity. A hint is made of clauses
    separated by ``"; "``: a clause that mentions an empty or absent fact is left out.
    """

    id: str
    title: str
    template: str
    hint: str = ""
    why: str = ""
    wrong: str = ""
    right: str = ""
    severity: Severity = Severity.error

    @property
    def facts(self) -> tuple[str, ...]:
        """Names of the facts of the message, then of those that only the hint mentions."""
        return tuple(dict.fromkeys(fields(self.template) + fields(self.hint)))

    def __repr__(self) -> str:
        return self.id


def fields(template: str) -> list[str]:
    """Names of the ``{fact}`` fields of a template."""
    return [name for _, name, _, _ in Formatter().parse(template) if name]


CATALOGUE: Final[dict[str, Code]] = {}
"""Every code by id; filled when `opennki.base.codes` is imported."""


def code(id: str, title: str, template: str, **more: str) -> Code:
    """Declare a catalogue entry whose violation is an error.

    Raises: ValueError when the id is taken.
    """
    return _declare(Code(id, title, template, **more))  # type: ignore[arg-type]  # texts only


def warning_code(id: str, title: str, template: str, **more: str) -> Code:
    """Declare a catalogue entry whose violation is a warning."""
    return _declare(Code(id, title, template, severity=Severity.warning, **more))


def note_code(id: str, title: str, template: str, **more: str) -> Code:
    """Declare a catalogue entry that only informs."""
    return _declare(Code(id, title, template, severity=Severity.note, **more))


def _declare(entry: Code) -> Code:
    if entry.id in CATALOGUE:
        raise ValueError(f"{entry.id} is declared twice")
    CATALOGUE[entry.id] = entry
    return entry


@dataclass(frozen=True)
class Problem:
    """A violated rule and its facts. `operand` names the operand it is about, if any."""

    code: Code
    facts: dict[str, object]
    operand: str | None = None


Problems = Iterator[Problem]


def problem(code: Code, *, operand: str | None = None, **facts: object) -> Problem:
    """The fact that a rule is violated; `facts` fill the code's template."""
    if operand is not None:
        facts["operand"] = operand
    return Problem(code, facts, operand)


class _Blank(dict[str, object]):
    """Template facts; a missing one shows as its name so that a message is never lost."""

    def __missing__(self, key: str) -> str:
        return f"<{key}>"


def _fill(template: str, facts: dict[str, object]) -> str:
    return template.format_map(_Blank((name, shown(value)) for name, value in facts.items()))


def shown(fact: object) -> object:
    """How a fact reads in a sentence: members by their name, lists of words with commas.

    Tuples and lists of integers are shapes and keep their brackets; sets are sorted.
    """
    if isinstance(fact, Enum) and type(fact).__str__ is Enum.__str__:
        return fact.value if isinstance(fact.value, str) else fact.name
    if isinstance(fact, (set, frozenset)):
        return ", ".join(sorted(str(shown(item)) for item in fact))
    if isinstance(fact, (tuple, list)) and any(isinstance(item, (str, Enum)) for item in fact):
        return ", ".join(str(shown(item)) for item in fact)
    return tuple(fact) if isinstance(fact, list) else fact


def amount(size: int) -> str:
    """A number of bytes as it reads in a message: ``240 KiB (245752 bytes)``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            exact = f"{size / unit:.1f}".removesuffix(".0")
            return f"{exact} {name} ({size} bytes)"
    return f"{size} bytes"


def _is_blank(fact: object) -> bool:
    return fact is None or (isinstance(fact, (str, tuple, list, set, frozenset)) and not fact)


@dataclass
class Diagnostic:
    """A problem at a place in the user's program.

    Attributes: code; facts; loc, innermost user line; operands, ``(name, description)`` pairs shown
    under the message; notes, further lines; severity (from the code unless lowered).
    """

    code: Code
    facts: dict[str, object]
    loc: SrcLoc = UNKNOWN
    operands: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    severity: Severity = Severity.error

    def portable(self) -> Diagnostic:
        """The same with plain facts, for another process."""
        facts = {name: shown(fact) for name, fact in self.facts.items()}
        plain: dict[str, object] = {
            name: fact if isinstance(fact, _PORTABLE) else str(fact) for name, fact in facts.items()
        }
        return replace(self, facts=plain)

    @property
    def message(self) -> str:
        """The sentence, with numbers and names filled in."""
        return _fill(self.code.template, self.facts)

    @property
    def hint(self) -> str:
        """What to do about it, with numbers and names filled in; may be empty."""
        known = (
            clause
            for clause in self.code.hint.split("; ")
            if not any(_is_blank(self.facts.get(name)) for name in fields(clause))
        )
        return _fill("; ".join(known), self.facts)

    @property
    def file(self) -> str:
        """File of the innermost user line."""
        return self.loc.file

    @property
    def line(self) -> int:
        """Line (1-based) of the innermost user line; 0 when unknown."""
        return self.loc.line

    @property
    def col(self) -> int:
        """Column (1-based, in characters) that the underlined text starts in."""
        return self.span[0] + 1

    @property
    def span(self) -> tuple[int, int]:
        """First and one past the last character (0-based) of the line that the problem is about.

        Python counts columns in UTF-8 bytes, and only from 3.11 on: without them the span is the
        stripped line. A call over several lines spans the rest of its first line.
        """
        loc, source = self.loc, self.loc.source()
        if not loc.end_col:
            return len(source) - len(source.lstrip()), len(source.rstrip())
        octets = source.encode("utf-8", "surrogateescape")
        start = _characters(octets, loc.col) if source else loc.col
        if loc.end_line > loc.line:
            return start, max(len(source.rstrip()), start + 1)
        return start, max(_characters(octets, loc.end_col) if source else loc.end_col, start + 1)

    def as_dict(self) -> dict[str, object]:
        """The fields that the JSON form has."""
        return {
            "code": self.code.id,
            "severity": self.severity.value,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "col": self.col,
            "end_col": self.span[1] + 1,
            "hint": self.hint,
            "notes": list(self.notes),
            "operands": [list(pair) for pair in self.operands],
            "callers": [f"{c.file}:{c.line}" for c in list(self.loc.chain())[1:]],
        }


def _characters(octets: bytes, count: int) -> int:
    return len(octets[:count].decode("utf-8", "replace"))


def diagnostic(
    found: Problem,
    loc: SrcLoc,
    operands: Iterable[tuple[str, str]] = (),
    notes: Iterable[str] = (),
) -> Diagnostic:
    """Place `found` at `loc`."""
    return Diagnostic(
        found.code, found.facts, loc, list(operands), list(notes), found.code.severity
    )


_PORTABLE = (int, float, str, tuple, list, type(None))


class NkiError(Exception):
    """The user's program is wrong. Carries every diagnostic that was found, in source order."""

    renderer: Callable[[list[Diagnostic]], str] | None = None

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        Exception.__init__(self, self._text())  # not of a user's class that is combined with this

    def _text(self) -> str:
        if NkiError.renderer is not None:
            return NkiError.renderer(self.diagnostics)
        return "\n".join(f"{d.code.id}: {d.message} ({d.loc!r})" for d in self.diagnostics)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors cross between processes with their diagnostics; facts may become their words."""
        return _again, (type(self), [found.portable() for found in self.diagnostics])

    @property
    def code(self) -> str:
        """Id of the first diagnostic."""
        return self.diagnostics[0].code.id if self.diagnostics else ""


def _again(cls: type[NkiError], diagnostics: list[Diagnostic]) -> NkiError:
    """An error of another process, of which only the diagnostics came along."""
    made = cls.__new__(cls)
    NkiError.__init__(made, diagnostics)
    return made


class NkiWarning(UserWarning):
    """Category of the warnings that are shown through `warnings.warn`."""


def fail(code: Code, loc: SrcLoc, *, notes: Iterable[str] = (), **facts: object) -> NkiError:
    """An error with one diagnostic, to be raised by the caller."""
    return NkiError([diagnostic(problem(code, **facts), loc, notes=notes)])  # type: ignore[arg-type]
