"""Selection by a pattern of indices or by a tile. Only tiles are published as what is copied."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, immediate, named
from opennki.ir import View
from opennki.isa.predicate import AffSelTensorScalarOp, SelectReduce, TensorCopyPredicated

from .pattern import data_pattern


def _affine_select(inst: AffSelTensorScalarOp, at: Places) -> klr.Operator:
    pattern = data_pattern(inst.pattern, inst.offset, inst.channel_multiplier)
    args = klr.NcAffineSelect(
        at.view(inst.dst), pattern, at.view(inst.on_true_tile), immediate(inst.on_false_value),
        DTYPES[inst.dst.dtype], named(klr.AluOp, inst.cmp_op),
    )  # fmt: skip
    return klr.Operator("ncAffineSelect", args)


def _source(value: View | float, dst: View, at: Places) -> tuple[klr.TensorRef, Any]:
    """What is copied: a tile and no number, or `dst` and the number that stands for it."""
    if isinstance(value, View):
        return at.view(value), None
    return at.view(dst), immediate(value)


def _select_reduce(inst: SelectReduce, at: Places) -> klr.Operator:
    tile, number = _source(inst.on_true, inst.dst, at)
    args = klr.SelectReduce(
        at.view(inst.dst), at.view(inst.predicate), tile, at.operand(inst.on_false),
        at.optional(inst.reduce_res), named(klr.AccumCmd, inst.reduce_cmd),
        named(klr.AluOp, inst.reduce_op), inst.reverse_pred, DTYPES[inst.dst.dtype],
        onTrueImm=number,
    )  # fmt: skip
    return klr.Operator("selectReduce", args)


def _copy(inst: TensorCopyPredicated, at: Places) -> klr.Operator:
    tile, number = _source(inst.src, inst.dst, at)
    args = klr.CopyPredicated(
        at.view(inst.dst), tile, at.view(inst.predicate), DTYPES[inst.dst.dtype],
        inst.reverse_pred, srcImm=number,
    )  # fmt: skip
    return klr.Operator("copyPredicated", args)


EMITTERS: Final[dict[type, Any]] = {
    AffSelTensorScalarOp: _affine_select, SelectReduce: _select_reduce,
    TensorCopyPredicated: _copy,
}  # fmt: skip
