"""Constants, as bits of the destination's dtype, and generated indices."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from opennki import klr
from opennki.base.dtypes import PACKED, DType
from opennki.base.numerics import from_f32
from opennki.birpy import Instruction
from opennki.birpy.enums import MemsetMode
from opennki.isa.enums import Engine
from opennki.isa.fill import holds
from opennki.lower.beta2.enums import ENGINES
from opennki.lower.beta2.site import Site

from .pattern import generated

WORD: Final = 4
"""Bytes of BIR's constant."""


def _memset(op: klr.MemSet, at: Site) -> Instruction:
    """Raises: NKI4501 for elements that no word holds, and for values that no element holds."""
    dst = at.single(op.dst)
    dtype = dst.dtype
    if dtype.itemsize > WORD:
        raise at.unsupported("dtype of memSet", str(dtype))
    value = at.immediate(op.value).value
    if not holds(dtype, value) or (dtype in PACKED and value != 0):
        raise at.unsupported(f"value of memSet to {dtype}", str(value))
    attrs = {"mode": MemsetMode.Const, "constant": _bits(value, dtype)}
    return at.make("Memset", ENGINES[op.engine], [], [dst], attrs)


def _bits(value: float, dtype: DType) -> int:
    """The bits of one element, low bytes first in a word."""
    if dtype.is_float:
        stored: Any = from_f32(np.array([value], np.float32), dtype)
    else:
        stored = np.array([int(value)]).astype(dtype.np)
    return int.from_bytes(stored.tobytes(), "little")


def _iota(op: klr.Iota, at: Site) -> Instruction:
    return at.make("Iota", Engine.POOL, [], [at.single(op.dst)], generated(op.pattern))


RULES: Final[dict[str, Any]] = {"memSet": _memset, "iota": _iota}
