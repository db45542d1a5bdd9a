"""How diagnostics look: text with source and carets, JSON, and the long explanation of a code.

The words are in `codes`, the facts in `diag`; nothing here knows any rule. Importing this module
makes `NkiError` show its diagnostics in this form.
"""

from __future__ import annotations

import io
import json
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from . import codes  # noqa: F401  # fills the catalogue that `explain` reads
from .diag import CATALOGUE, Diagnostic, NkiError, Severity, fields
from .loc import SrcLoc, short_path

_TAB: Final = 4
_SOURCE_WIDTH: Final = 72
_CALLERS: Final = 10
"""Longer chains of callers show their ends only."""

_STYLES: Final = {
    Severity.error: "bold red",
    Severity.warning: "bold yellow",
    Severity.note: "bold cyan",
}
_GUTTER: Final = "bold blue"

_Line = list[tuple[str, str]]
"""One line of output: pieces of text with the style of each ('' is plain)."""


def text(diagnostics: Sequence[Diagnostic], color: bool = False) -> str:
    """All diagnostics in source order, and a last line that counts them.

    Equal ones (same code, line and message) are shown once. With `color` the text carries ANSI
    sequences. An empty sequence gives an empty text. Files that cannot be read show no source.
    """
    if not diagnostics:
        return ""
    lines: list[_Line] = []
    for found, more in _distinct(in_order(diagnostics)):
        lines += [*_one(found, more), []]
    lines.append([(_summary(diagnostics), "bold")])
    return _colored(lines) if color else "\n".join(_plain(line) for line in lines)


def as_json(diagnostics: Sequence[Diagnostic]) -> str:
    """``{"diagnostics": [...]}`` with one object each (`Diagnostic.as_dict`), in source order."""
    found = [entry.as_dict() for entry in in_order(diagnostics)]
    return json.dumps({"diagnostics": found}, indent=2)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted as the kernel reads: by outermost file, then by lines from the outermost call in.

    Diagnostics without a location come last. The order of equal places stays.
    """

    def key(found: Diagnostic) -> tuple[bool, str, tuple[int, ...]]:
        outermost = list(found.loc.chain())[-1]
        return found.line == 0, outermost.file, found.loc.key

    return sorted(diagnostics, key=key)


def explain(code_id: str) -> str:
    """Title, reason, failing example, repair and hint of a code.

    Raises: KeyError when there is no such code.
    """
    entry = CATALOGUE[code_id.upper()]
    message = Diagnostic(entry, {}).message
    hint = entry.hint.format_map({name: f"<{name}>" for name in fields(entry.hint)})
    parts = [
        f"{entry.id} ({entry.severity.value}): {entry.title}",
        _wrapped(f"Message: {message}"),
        _wrapped(entry.why),
        "Wrong:\n\n" + textwrap.indent(entry.wrong, "    "),
        "Right:\n\n" + textwrap.indent(entry.right, "    "),
        _wrapped(f"Help: {hint}"),
    ]
    return "\n\n".join(parts) + "\n"


def _wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, 100, break_long_words=False, break_on_hyphens=False)


def _distinct(diagnostics: list[Diagnostic]) -> list[tuple[Diagnostic, int]]:
    """Each different diagnostic once, with the number of further equal ones."""
    keys = [(d.code.id, d.severity, d.file, d.line, d.message) for d in diagnostics]
    counts = Counter(keys)
    first = dict(zip(reversed(keys), reversed(diagnostics), strict=True))
    return [(first[key], counts[key] - 1) for key in dict.fromkeys(keys)]


def _one(found: Diagnostic, more: int) -> list[_Line]:
    """The lines of one diagnostic."""
    style = _STYLES[found.severity]
    width = len(str(found.line)) if found.line else 1
    label = f"{found.severity.value}[{found.code.id}]"
    repeats = f" (and {more} more like this)" if more else ""
    lines: list[_Line] = [
        [(label, style), (_indented(f": {found.message}{repeats}", len(label) + 2), "bold")]
    ]
    if found.line:
        place = f"{short_path(found.file)}:{found.line}:{found.col}"
        lines.append([(" " * width + "--> ", _GUTTER), (place, "")])
        lines += _excerpt(found, width, style)
    lines += [_remark(width, f"{name}: ", about) for name, about in found.operands]
    lines += [_remark(width, "called from ", _call(c)) for c in _callers(found.loc)]
    lines += [_remark(width, "note: ", note) for note in found.notes]
    if found.hint:
        lines.append(_remark(width, "help: ", found.hint))
    return lines


def _excerpt(found: Diagnostic, width: int, style: str) -> list[_Line]:
    """The source line between gutters, underlined; nothing when the file cannot be read."""
    source = found.loc.source().rstrip()
    if not source:
        return []
    start, end = found.span
    shown, _ = _expanded(source)
    _, before = _expanded(source[:start])
    _, after = _expanded(source[:end])
    carets = "^" * max(after - before, 1)
    bar = (" " * width + " |", _GUTTER)
    lines: list[_Line] = [
        [bar],
        [(f"{found.line:{width}} |", _GUTTER), (f" {shown}", "")],
        [bar, (" " * (before + 1), ""), (carets, style)],
    ]
    if found.loc.end_col and found.loc.end_line > found.line:
        lines.append([("...", _GUTTER)])
    return lines


def _expanded(source: str) -> tuple[str, int]:
    """`source` with its tabs as spaces, and the terminal columns that it takes."""
    pieces, column = [], 0
    for char in source:
        if char == "\t":
            char = " " * (_TAB - column % _TAB)
            column += len(char)
        elif unicodedata.east_asian_width(char) in "WF":
            column += 2
        elif not unicodedata.combining(char):
            column += 1
        pieces.append(char)
    return "".join(pieces), column


def _remark(width: int, label: str, about: str) -> _Line:
    margin = " " * (width + 1)
    return [(f"{margin}= ", _GUTTER), (label, "bold"), (_indented(about, width + 3), "")]


def _indented(message: str, margin: int) -> str:
    return message.rstrip("\n").replace("\n", "\n" + " " * margin)


def _callers(loc: SrcLoc) -> list[SrcLoc | int]:
    """Calls that led to `loc`, innermost first; a number stands for that many left out."""
    calls = list(loc.chain())[1:]
    if len(calls) <= _CALLERS:
        return [*calls]
    left_out = len(calls) - _CALLERS + 1
    return [*calls[: _CALLERS // 2], left_out, *calls[_CALLERS // 2 + left_out :]]


def _call(caller: SrcLoc | int) -> str:
    if isinstance(caller, int):
        return f"{caller} more places"
    place = f"{short_path(caller.file)}:{caller.line}"
    source = caller.source().strip()
    if len(source) > _SOURCE_WIDTH:
        source = source[: _SOURCE_WIDTH - 4] + " ..."
    return f"{place} (`{source}`)" if source else place


def _summary(diagnostics: Sequence[Diagnostic]) -> str:
    """``2 errors, 1 warning``."""
    counts = Counter(found.severity for found in diagnostics)
    return ", ".join(
        f"{counts[severity]} {severity.value}{'s' if counts[severity] > 1 else ''}"
        for severity in Severity
        if counts[severity]
    )


def _plain(line: _Line) -> str:
    return "".join(piece for piece, _ in line)


def _colored(lines: list[_Line]) -> str:
    """The lines with ANSI sequences."""
    from rich.console import Console  # only here: rich costs more to import than all of base
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", no_color=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True, highlight=False)
    return out.getvalue().rstrip("\n")


NkiError.renderer = text
