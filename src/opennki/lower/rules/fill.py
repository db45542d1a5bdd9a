"""Memset: BIR has the bit pattern of the value in the destination's dtype."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from opennki.base.numerics import from_f32, to_f32
from opennki.birpy import Instruction
from opennki.birpy.enums import MemsetMode
from opennki.ir import Inst
from opennki.isa.fill import MemsetOp
from opennki.isa.rng import RngOp
from opennki.lower.table import Attrs, Fields, Rule


def _attrs(inst: MemsetOp) -> Attrs:
    bits = np.zeros(4, np.uint8)
    raw = np.asarray(inst.sem()).reshape(-1)[:1]
    if inst.dst.dtype.is_float:
        raw = from_f32(raw, inst.dst.dtype)
    bits[: raw.dtype.itemsize] = raw.view(np.uint8)
    return {"mode": MemsetMode.Const, "constant": int(bits.view(np.uint32)[0])}


def _key(inst: MemsetOp) -> object:
    return inst.dst.dtype


def _lift(inst: Instruction, fields: Fields) -> Fields:
    dtype = fields["dst"].dtype
    bits: Any = np.array([inst.attrs["constant"]], np.uint32).view(np.uint8)[: dtype.itemsize]
    value = bits.view(dtype.np)
    return fields | {"value": float(to_f32(value, dtype)[0]) if dtype.is_float else int(value[0])}


def _means(inst: Instruction) -> type[Inst]:
    """What the mode says. Raises: KeyError for random bits with a constant, which says nothing."""
    if inst.attrs["mode"] is MemsetMode.Const:
        return MemsetOp
    known: dict[object, type[Inst]] = {0: RngOp}
    return known[inst.attrs["constant"]]


RULES: Final[dict[type[Inst], Rule]] = {
    MemsetOp: Rule(attrs=_attrs, key=_key, lift=_lift, means=_means)
}
