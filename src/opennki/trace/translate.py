"""Exceptions that a kernel raises, as diagnostics on the user's line."""

from __future__ import annotations

import difflib
import re
import traceback
from collections.abc import Callable
from types import CodeType, FrameType

from opennki.base.codes import (
    NKI1004,
    NKI1005,
    NKI1006,
    NKI1007,
    NKI1017,
    NKI1018,
    NKI1019,
    NKI1030,
    NKI9001,
)  # fmt: skip
from opennki.base.diag import Diagnostic, NkiError, diagnostic, problem
from opennki.base.loc import UNKNOWN, SrcLoc, is_ours, position

from .arguments import GIVEN_TWICE
from .fault import raised
from .names import notes_of
from .values import NkiTensor

_UNKNOWN = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_MISSING = re.compile(
    r"(\w+)\(\) missing (?:\d+) required (?:positional|keyword-only) arguments?: (.*)"
)
_TOO_MANY = re.compile(r"(\w+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) ")
_TWICE = re.compile(r"(\w+)\(\) got multiple values for argument '(\w+)'")
_REMOVED = {
    "mask": ("the keyword `mask`", "0.2", "slice the operands, or use nisa.affine_select"),
}


def translate(error: Exception, stop: CodeType | None, notes: Callable[[], list[str]]) -> NkiError:
    """`error` as an `NkiError` that is also an instance of the error's own class.

    Args: stop, code object of the kernel; notes, unused loop notes of the live frames when the
        traceback has none.
    """
    frames = [(f, line, lasti) for f, line, lasti in _frames(error) if not is_ours(f.f_code)]
    below = [i for i, (f, _, _) in enumerate(frames) if f.f_code is stop]
    frames = frames[below[0] :] if below else frames
    loc = _locate(frames)
    around = notes_of([(f, line) for f, line, _ in reversed(frames)]) or notes()
    found = _describe(error, frames, loc)
    found.notes.extend(n for n in around if n not in found.notes)
    return raised(error, [found])


def _frames(error: BaseException) -> list[tuple[FrameType, int, int]]:
    found = []
    tb = error.__traceback__
    while tb is not None:
        found.append((tb.tb_frame, tb.tb_lineno, tb.tb_lasti))
        tb = tb.tb_next
    return found


def _locate(frames: list[tuple[FrameType, int, int]]) -> SrcLoc:
    loc: SrcLoc | None = None
    for frame, line, lasti in frames[:20] if len(frames) > 60 else frames:
        code = frame.f_code
        _, end_line, col, end_col = position(code, lasti)
        loc = SrcLoc(code.co_filename, line, col, end_col, code.co_name, loc, end_line)
    return loc or UNKNOWN


def _describe(
    error: Exception, frames: list[tuple[FrameType, int, int]], loc: SrcLoc
) -> Diagnostic:
    text = _text(error)
    if isinstance(error, RecursionError):
        return diagnostic(problem(NKI1017, fn=loc.function), loc)
    if isinstance(error, AssertionError):
        return diagnostic(problem(NKI1019, text=text or loc.source().strip()), loc)
    last = _frames(error)[-1][0]
    if isinstance(error, TypeError) and not is_ours(last.f_code):
        found = _call_problem(text, last, loc)
        if found is not None:
            return found
    if is_ours(last.f_code):
        where = traceback.extract_tb(error.__traceback__)[-1]
        facts = f"{type(error).__name__}: {text} ({where.filename}:{where.lineno})"
        return diagnostic(problem(NKI9001, text=facts), loc)
    plain = _plain_argument(error, [frame for frame, _, _ in frames])
    return diagnostic(problem(NKI1018, type=type(error).__name__, text=text, **plain), loc)


def _plain_argument(error: Exception, frames: list[FrameType]) -> dict[str, str]:
    """Which argument is a constant or a list of which the kernel asked what only arrays have."""
    if not isinstance(error, AttributeError):
        return {}
    owner, asked = error.obj, error.name or ""
    constant = isinstance(owner, int | float | str | None) and hasattr(NkiTensor, asked)
    if constant or isinstance(owner, list | tuple):
        for frame in reversed(frames):
            code = frame.f_code
            for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                if frame.f_locals.get(name) is owner:
                    kind = "None" if owner is None else type(owner).__name__
                    article = {"int": "an ", "None": ""}.get(kind, "a ")
                    return {"argument": name, "kind": article + kind}
    return {}


def _text(error: Exception) -> str:
    """The exception's text; a note instead if its own ``__str__`` fails.

    Python adds suggestions to the text of wrong names, which are not ours to give.
    """
    if isinstance(error, _SUGGESTING):
        return str(error)
    return str(traceback.TracebackException(type(error), error, None))


_SUGGESTING = (AttributeError, NameError, ImportError, SyntaxError)


def _call_problem(text: str, frame: FrameType, loc: SrcLoc) -> Diagnostic | None:
    """A call that does not fit the signature of what it calls."""
    if match := _UNKNOWN.search(text):
        fn, name = match.groups()
        if name in _REMOVED:
            construct, since, instead = _REMOVED[name]
            return diagnostic(
                problem(NKI1030, construct=construct, since=since, instead=instead), loc
            )
        known = [n for names in _parameters(fn, frame) for n in names]
        close = ", ".join(difflib.get_close_matches(name, known, 1))
        facts = {"name": name, "fn": fn, "known": ", ".join(known), "close": close}
        return diagnostic(problem(NKI1004, **facts), loc)
    if match := _MISSING.search(text):
        fn, names = match.groups()
        names = names.replace("'", "")
        first = "dst" if "dst" in re.findall(r"\w+", names) else ""
        return diagnostic(problem(NKI1005, name=names, fn=fn, destination=first), loc)
    if match := _TOO_MANY.search(text):
        fn, most, got = match.groups()
        known, optional = _parameters(fn, frame)
        method = known[:1] == ["self"] or (not known and hasattr(NkiTensor, fn))
        most, got = str(int(most) - method), str(int(got) - method)
        facts = {"fn": fn, "most": most, "got": got, "known": known, "optional": optional}
        return diagnostic(problem(NKI1006, **facts), loc)
    if match := _TWICE.search(text):
        fn, name = match.groups()
        return diagnostic(problem(NKI1007, name=name, fn=fn, **GIVEN_TWICE), loc)
    return None


def _parameters(name: str, frame: FrameType) -> tuple[list[str], list[str]]:
    """Parameters of the function `name` that `frame` can see, by itself or in a module.

    Returns: those that can be given by position, and those by keyword only.
    """
    places = [*frame.f_locals.values(), *frame.f_globals.values()]
    candidates = [frame.f_locals.get(name), frame.f_globals.get(name)]
    candidates += [getattr(p, name, None) for p in places if hasattr(p, "__spec__")]
    for fn in candidates:
        code = getattr(fn, "__code__", None)
        if code is not None:
            names, count = list(code.co_varnames), code.co_argcount
            earlier = getattr(fn, "__nki_earlier__", ())
            keywords = names[count : count + code.co_kwonlyargcount]
            return names[:count], [n for n in keywords if n not in earlier]
    return [], []
