"""Copies on chip, and printing from the device."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, ENGINES, Places
from opennki.isa.move import NeuronPrintInst, TensorCopyOp


def _copy(inst: TensorCopyOp, at: Places) -> klr.Operator:
    dtype = DTYPES[inst.dst.dtype]
    args = klr.NcCopy(at.view(inst.dst), at.view(inst.src), dtype, ENGINES[inst.engine])
    return klr.Operator("ncCopy", args)


def _print(inst: NeuronPrintInst, at: Places) -> klr.Operator:
    args = klr.DevicePrint(at.view(inst.src), inst.prefix, klr.PrintOutputBuffer.stdout)
    return klr.Operator("devicePrint", args)


EMITTERS: Final[dict[type, Any]] = {TensorCopyOp: _copy, NeuronPrintInst: _print}
