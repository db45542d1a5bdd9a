"""Kernel arguments on the command line: ``--arg x=bf16[128,512]:ones`` and the like.

x=bf16[128,512]        an array of random numbers; only its shape and dtype where nothing runs
x=f32[128,512]:ones    other contents: ones, zeros, arange, rand (0 to 1), normal
x=@file.npy            an array from a file
n=3   eps=1e-6   flag=true   which=none   shape=(3,4)   scales=[0.5,2]
name=text   name="3"   a text, with quotes if it looks like something else

A list of sizes, as in x=[128,512], is refused: it is an array whose dtype was forgotten, or the
tuple (128,512).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from opennki.base import dtypes
from opennki.base.codes import NKI7004, NKI7012, NKI7015
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN
from opennki.driver import SHORT_DTYPES, ArraySpec, existing

FILLS: Final = ("normal", "rand", "ones", "zeros", "arange")

GRAMMAR: Final = (
    "Argument of the kernel. An array: DTYPE[SIZE,...] or DTYPE[SIZE,...]:FILL, as in "
    "x=bf16[128,512] or x=i32[4]:arange; DTYPE is a name of nki.language (float32, bfloat16, ...) "
    f"or a short one ({', '.join(SHORT_DTYPES)}); FILL is one of {', '.join(FILLS)} (normal if "
    "not given). An array from a file: x=@file.npy. A number: n=3, eps=1e-6. A bool: flag=true. "
    'No value: which=none. A tuple: shape=(128,512). A string: mode=fast, or mode="3" if it '
    "looks like something else."
)
"""What ``--arg`` takes, for its help."""

_WORDS: Final = {"true": True, "false": False, "none": None}
_TEXT: Final = re.compile(r"[A-Za-z_][\w.\-/]*")


@dataclass(frozen=True)
class Filled:
    """An array to be made: `fill` is one of `FILLS`. Has `shape` and `dtype`, as arrays have."""

    spec: ArraySpec
    fill: str = "normal"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.spec.shape

    @property
    def dtype(self) -> Any:
        """Dtype of the array."""
        return self.spec.dtype


def parse_arguments(texts: Sequence[str]) -> dict[str, Any]:
    """Name -> constant, `Filled` or NumPy array, for every ``name=value`` of `texts`.

    Raises: NkiError with one NKI7004, NKI7001 or NKI7015 for every text that is wrong.
    """
    values: dict[str, Any] = {}
    found = []
    for text in texts:
        try:
            name, value = _argument(text)
            if name in values:
                raise _refused(text, f"`{name}` is given twice")
            values[name] = value
        except NkiError as error:
            found += error.diagnostics
    if found:
        raise NkiError(found)
    return values


def parse_grid(text: str | None) -> tuple[int, ...] | None:
    """``2`` or ``2,4`` as a launch grid. Raises: NKI7012."""
    if text is None:
        return None
    sizes = text.strip("()[] ").rstrip(",").split(",")
    if not all(n.strip().isdecimal() and int(n) > 0 for n in sizes):
        kind = "the number of programs on every axis, 1 or more, as in 2 or 2,1"
        raise fail(NKI7012, UNKNOWN, option="--grid", got=text, kind=kind)
    return tuple(map(int, sizes))


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise _refused(text, "it has no `=`")
    if not name.strip().isidentifier():
        raise _refused(text, f"`{name.strip()}` is not the name of a parameter")
    return name.strip(), _value(text, value.strip())


def _value(text: str, value: str) -> Any:
    spec, colon, fill = value.rpartition(":")
    array = spec if colon else value
    if ArraySpec.looks_like(array):
        return _filled(text, array, fill if colon else "normal")
    if value.startswith("@"):
        return _from_file(value[1:])
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if value in map(str, dtypes.ALL):
        return dtypes.dtype(value)
    if _TEXT.fullmatch(value):
        return value
    try:
        constant = ast.literal_eval(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise _refused(text, f"`{value}` is neither an array nor a constant") from None
    if isinstance(constant, list) and constant and all(map(_is_size, constant)):
        sizes = ",".join(map(str, constant))
        name = text.partition("=")[0].strip()
        rest = f"did you mean {name}=f32[{sizes}]? (a tuple is written {name}={tuple(constant)})"
        raise _refused(text, f"it has sizes but no dtype; {rest}")
    return constant


def _is_size(value: object) -> bool:
    return type(value) is int and value > 0


def _filled(text: str, array: str, fill: str) -> Filled:
    if fill not in FILLS:
        raise _refused(text, f"`{fill}` is none of {', '.join(FILLS)}")
    try:
        return Filled(ArraySpec.parse(array), fill)
    except NkiError as error:
        raise _refused(text, str(error.diagnostics[0].facts["why"])) from None


def _from_file(path: str) -> Any:
    file: Path = existing(path)
    try:
        array = np.load(file, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise fail(NKI7015, UNKNOWN, path=path, why=str(error)) from None
    if not isinstance(array, np.ndarray):
        raise fail(NKI7015, UNKNOWN, path=path, why="it is an archive of several arrays")
    try:
        dtypes.dtype(array.dtype)
    except KeyError:
        why = f"its dtype is {array.dtype}, which no memory holds"
        raise fail(NKI7015, UNKNOWN, path=path, why=why) from None
    return array


def _refused(text: str, why: str) -> NkiError:
    return fail(NKI7004, UNKNOWN, arg=text, why=why)
