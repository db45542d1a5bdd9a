"""`ArraySpec`: shape and dtype of an array that need not exist, and its text ``bf16[128,512]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from opennki.base import dtypes
from opennki.base.codes import NKI7016
from opennki.base.diag import fail
from opennki.base.loc import current
from opennki.base.text import nearest

SHORT_DTYPES: Final = {
    "f32": "float32", "fp32": "float32", "tf32": "tfloat32", "f16": "float16", "fp16": "float16",
    "bf16": "bfloat16", "i8": "int8", "i16": "int16", "i32": "int32", "u8": "uint8",
    "u16": "uint16", "u32": "uint32", "f8e4m3": "float8_e4m3", "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}  # fmt: skip
"""Short names of dtypes in texts of arrays -> their names in `nki.language`."""

_FORM: Final = re.compile(r"\s*([A-Za-z]\w*)\s*\[([^\[\]]*)\]\s*")


@dataclass(frozen=True)
class ArraySpec:
    """Stands for an array where only its shape and dtype matter (`compile`, `check`)."""

    shape: tuple[int, ...]
    dtype: Any

    @staticmethod
    def looks_like(text: str) -> bool:
        """Whether `text` is meant as an array: a word, and something in brackets."""
        return _FORM.fullmatch(text) is not None

    @staticmethod
    def parse(text: str) -> ArraySpec:
        """The array that a text such as ``bf16[128,512]`` describes.

        Dtypes have their names of `nki.language`, or short ones: f32, bf16, f16, i32, u8 …
        Raises: NKI7016.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise _refused(text, "it is not of the form dtype[size,...]")
        name, sizes = match.group(1), [n.strip() for n in match.group(2).split(",")]
        full = SHORT_DTYPES.get(name, name)
        known = [str(d) for d in dtypes.ALL]
        if full not in known:
            close = nearest(name, [*known, *SHORT_DTYPES])
            raise _refused(text, f"there is no dtype {name}; did you mean {close}?")
        if not all(n.isdecimal() and int(n) > 0 for n in sizes):
            raise _refused(text, "every size must be a positive integer")
        return ArraySpec(tuple(map(int, sizes)), dtypes.dtype(full))

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


def as_argument(value: Any) -> Any:
    """`value`, or the array that it describes if it is a text like ``bf16[128,512]``."""
    if isinstance(value, str) and ArraySpec.looks_like(value):
        return ArraySpec.parse(value)
    return value


def _refused(text: str, why: str) -> Exception:
    return fail(NKI7016, current(None, 3), text=text, why=why)
