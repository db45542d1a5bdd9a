"""Source locations: where in the user's program an instruction or a tensor comes from.

A location is the innermost line of user code together with the chain of calls that led there.
Locations are interned, so two instructions of one line share one object. Frames of opennki itself,
and of the frameworks that call kernels, are never part of a location.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Final


class SrcLoc:
    """One position in user code.

    Attributes: file, line (1-based), col and end_col (0-based, 0 when unknown), function, and
    caller, the location of the call that entered this function (None at the kernel's own level).
    """

    __slots__ = ("caller", "col", "end_col", "end_line", "file", "function", "line")

    def __init__(
        self,
        file: str,
        line: int,
        col: int = 0,
        end_col: int = 0,
        function: str = "",
        caller: SrcLoc | None = None,
        end_line: int = 0,
    ) -> None:
        self.file = file
        self.line = line
        self.col = col
        self.end_col = end_col
        self.end_line = end_line or line
        self.function = function
        self.caller = caller

    def chain(self) -> Iterator[SrcLoc]:
        """This location, then its callers, innermost first."""
        loc: SrcLoc | None = self
        while loc is not None:
            yield loc
            loc = loc.caller

    @property
    def key(self) -> tuple[int, ...]:
        """Sort key for source order: lines from the outermost call to the innermost."""
        return tuple(n for loc in reversed(list(self.chain())) for n in (loc.line, loc.col))

    def source(self) -> str:
        """The text of the line, without its newline; empty when the file is not readable."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    def __repr__(self) -> str:
        return f"{self.file}:{self.line}:{self.col + 1}"


UNKNOWN: Final = SrcLoc("<unknown>", 0)

_PACKAGE: Final = __file__.rsplit("/base/", 1)[0].rsplit("\\base\\", 1)[0]
_OURS: Final = tuple(
    _PACKAGE[: -len("opennki")] + name + sep
    for name in ("opennki", "nki", "neuronxcc")
    for sep in ("/", "\\")
)

_KERNELS: Final = tuple(f"{_PACKAGE}{sep}kernels{sep}" for sep in ("/", "\\"))
"""Where the kernels are that come with opennki: they are kernels like any user's."""

_BETWEEN: Final = (
    *(f"-packages{os.sep}{name}{os.sep}" for name in ("jax", "torch")), f"{os.sep}contextlib.py",
    f"{os.sep}functools.py",
)  # fmt: skip
"""Parts of paths of code that may stand between the user's and a kernel: decorators, `jax.jit`."""

# Keys are ids of code objects, because hashing a code object hashes all that it contains; `_kept`
# holds the objects, so that an id is never given to another.
_is_ours: dict[int, bool] = {}
_is_between: dict[int, bool] = {}
_interned: dict[tuple[int, int, SrcLoc | None], SrcLoc] = {}
_kept: list[CodeType] = []


def is_ours(code: CodeType) -> bool:
    """Whether `code` belongs to opennki or its drop-in names rather than to the user."""
    known = _is_ours.get(id(code))
    if known is None:
        file = code.co_filename
        known = file.startswith((*_OURS, "<opennki")) and not file.startswith(_KERNELS)
        _is_ours[id(code)] = known
        _kept.append(code)
    return known


def _between(code: CodeType) -> bool:
    """Whether `code` is not the user's: ours, or a framework's that calls kernels."""
    known = _is_between.get(id(code))
    if known is None:
        known = is_ours(code) or any(part in code.co_filename for part in _BETWEEN)
        _is_between[id(code)] = known
        _kept.append(code)
    return known


def without_ours(tb: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of opennki."""
    if tb is None:
        return None
    rest = without_ours(tb.tb_next)
    if is_ours(tb.tb_frame.f_code):
        return rest
    return TracebackType(rest, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame of user code at or above `depth` callers of this function."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and _between(frame.f_code):
        frame = frame.f_back
    return frame


def current(stop: CodeType | None, depth: int = 2) -> SrcLoc:
    """Location of the user code that is calling, with its chain of callers.

    Args: stop, the code object of the kernel (outermost frame of the chain), or None to take the
        innermost frame only; depth, how many callers of this function to skip at once.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        between = _is_between.get(id(code))
        if between is None:
            between = _between(code)
        if not between:
            break
        frame = frame.f_back
    else:
        return UNKNOWN
    if code is stop or stop is None:
        loc = _interned.get((id(code), frame.f_lasti, None))
        return loc if loc is not None else _intern(code, frame.f_lasti, None)
    return _chain(frame, stop)


def _chain(frame: FrameType, stop: CodeType) -> SrcLoc:
    """Fold the frames from the kernel down to `frame` into one interned location."""
    frames = []
    walk: FrameType | None = frame
    while walk is not None:
        code = walk.f_code
        if not _between(code):
            frames.append(walk)
            if code is stop:
                break
        walk = walk.f_back
    else:
        frames = frames[:1]  # not below the kernel: a callback from elsewhere
    loc: SrcLoc | None = None
    for walk in reversed(frames):
        code, lasti = walk.f_code, walk.f_lasti
        loc = _interned.get((id(code), lasti, loc)) or _intern(code, lasti, loc)
    assert loc is not None
    return loc


def _intern(code: CodeType, lasti: int, caller: SrcLoc | None) -> SrcLoc:
    line, end_line, col, end_col = position(code, lasti)
    loc = SrcLoc(code.co_filename, line, col, end_col, code.co_name, caller, end_line)
    _interned[(id(code), lasti, caller)] = loc
    return loc


def position(code: CodeType, lasti: int) -> tuple[int, int, int, int]:
    """Line, end line, column and end column of the instruction at byte offset `lasti`.

    Columns are 0 on Python 3.10, which does not record them.
    """
    positions: Callable[[], Iterator[tuple[int | None, ...]]] | None
    positions = getattr(code, "co_positions", None)
    if positions is None or lasti < 0:
        line = code.co_firstlineno
        for start, end, number in code.co_lines():
            if start <= lasti < end and number is not None:
                line = number
        return line, line, 0, 0
    for index, found in enumerate(positions()):
        if index == lasti // 2:
            line = found[0] or code.co_firstlineno
            return line, found[1] or line, found[2] or 0, found[3] or 0
    return code.co_firstlineno, code.co_firstlineno, 0, 0


def short_path(file: str) -> str:
    """`file` relative to the current directory when it is below it."""
    try:
        base = os.path.join(os.getcwd(), "")
    except OSError:  # the directory was removed
        return file
    return file[len(base) :] if file.startswith(base) else file
