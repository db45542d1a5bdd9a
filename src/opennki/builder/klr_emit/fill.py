"""Constants and generated indices."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from opennki import klr
from opennki.builder.klr_places import DTYPES, ENGINES, Places, immediate
from opennki.isa.fill import IndexValueInst, MemsetOp

from .pattern import data_pattern


def _memset(inst: MemsetOp, at: Places) -> klr.Operator:
    """Floating-point tiles get a float, others an integer, whichever the author wrote."""
    dtype, value = inst.dst.dtype, inst.value
    number = klr.FloatImm(float(np.float32(value))) if dtype.is_float else immediate(int(value))
    args = klr.MemSet(at.view(inst.dst), number, DTYPES[dtype], ENGINES[inst.engine])
    return klr.Operator("memSet", args)


def _iota(inst: IndexValueInst, at: Places) -> klr.Operator:
    pattern = data_pattern(inst.pattern, inst.offset, inst.channel_multiplier)
    return klr.Operator("iota", klr.Iota(at.view(inst.dst), pattern, DTYPES[inst.dst.dtype]))


EMITTERS: Final[dict[type, Any]] = {MemsetOp: _memset, IndexValueInst: _iota}
