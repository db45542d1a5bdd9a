"""What the user's source says about a call: the variable it is assigned to, the loops around it."""

from __future__ import annotations

import ast
import dis
import linecache
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType

from opennki.base.loc import is_ours, user_frame

_STORES = frozenset({"STORE_FAST", "STORE_NAME", "STORE_DEREF", "STORE_GLOBAL"})
_assigned: dict[tuple[int, int], str] = {}


def assigned_name() -> str:
    """Name of the variable that the user's present call is assigned to; empty if there is none."""
    frame = user_frame(2)
    if frame is None:
        return ""
    key = (id(frame.f_code), frame.f_lasti)  # `is_ours` keeps every code object that it has seen
    name = _assigned.get(key)
    if name is None:
        name = _assigned[key] = _find_store(frame.f_code, frame.f_lasti)
    return name


def _find_store(code: CodeType, lasti: int) -> str:
    """Target of the store that directly follows the call at `lasti`.

    `lasti` may point at the call or, from 3.11 on, at the last of its inline caches.
    """
    for op in dis.get_instructions(code):
        if op.offset > lasti:
            return str(op.argval) if op.opname in _STORES else ""
    return ""


@dataclass(frozen=True)
class ForLoop:
    """A ``for`` statement: its lines, the text of its header, and the names it assigns."""

    first: int
    last: int
    header: str
    names: tuple[str, ...]


def loop_values(stop: CodeType | None) -> list[str]:
    """Notes on every user loop that is running now, innermost first, with its variables' values."""
    frames = []
    frame = user_frame(2)
    while frame is not None:
        if not is_ours(frame.f_code):
            frames.append((frame, frame.f_lineno))
            if frame.f_code is stop:
                return notes_of(frames)
        frame = frame.f_back
    return []


def notes_of(frames: Iterable[tuple[FrameType, int]]) -> list[str]:
    """Notes on the loops around each ``(frame, line)``."""
    notes = []
    for frame, line in frames:
        for loop in reversed(_loops(frame.f_code.co_filename)):
            if loop.first < line <= loop.last:
                local = frame.f_locals
                values = [f"{n} = {local[n]!r}" for n in loop.names if _short(local.get(n))]
                if values:
                    notes.append(f"in `{loop.header}`, {', '.join(values)}")
    return notes


def _short(value: object) -> bool:
    return isinstance(value, int | float | str) and len(repr(value)) <= 40


@lru_cache(maxsize=64)
def _loops(file: str) -> tuple[ForLoop, ...]:
    source = "".join(linecache.getlines(file))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    loops = []
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            names = tuple(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
            header = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
            loops.append(ForLoop(node.lineno, node.end_lineno or node.lineno, header, names))
    return tuple(sorted(loops, key=lambda loop: loop.first))


def definition_line(code: CodeType) -> int:
    """Line of a function's ``def``: its code begins at the first decorator."""
    start = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(code.co_name)}\b")
    lines = linecache.getlines(code.co_filename)
    for number in range(code.co_firstlineno, min(len(lines), code.co_firstlineno + 50) + 1):
        if start.match(lines[number - 1]):
            return number
    return code.co_firstlineno


def return_line(code: CodeType | None) -> int:
    """Line of the only `return` in a function; 0 if there are several."""
    if code is None:
        return 0
    starts = dict(dis.findlinestarts(code))
    lines, line = set(), 0
    for op in dis.get_instructions(code):
        line = starts.get(op.offset) or line
        if op.opname.startswith("RETURN_") and op.opname != "RETURN_GENERATOR":
            lines.add(line)
    return lines.pop() if len(lines) == 1 else 0
