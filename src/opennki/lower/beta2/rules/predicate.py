"""Selection by a pattern of indices or by a tile; copies by a tile are BIR's CopyPredicated."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Argument, Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ALU
from opennki.lower.beta2.site import Site

from .operands import command, single
from .pattern import generated


def _affine_select(op: klr.NcAffineSelect, at: Site) -> Instruction:
    attrs = generated(op.pred) | {
        "compare_op": ALU[op.cmpOp],
        "fill_value": at.immediate(op.onFalseValue).value,
    }
    src, dst = single(at, op.onTrueTile, op.dst)
    return at.make("TensorScalarAffineSelect", Engine.POOL, [src], [dst], attrs)


def _source(tile: klr.TensorRef, number: klr.Immediate | None, at: Site) -> Argument:
    """What is copied; a number stands for the tile, which is then a repetition of `dst`."""
    return at.single(tile) if number is None else at.immediate(number)


def _select_reduce(op: klr.SelectReduce, at: Site) -> Instruction:
    attrs = {
        "reverse_pred": op.reversePred,
        "reduce_op": ALU[op.reduceOp],
        "accumulator_cmd": command(op.reduceCmd, at),
    }
    chosen = [at.single(op.predicate), _source(op.onTrue, op.onTrueImm, at)]
    ins = [*chosen, *at.operands([op.onFalse])]
    return at.make("CopyPredicated", Engine.DVE, ins, single(at, op.dst, op.reduceRes), attrs)


def _copy(op: klr.CopyPredicated, at: Site) -> Instruction:
    ins = [at.view(op.predicate), _source(op.src, op.srcImm, at)]
    attrs = {"reverse_pred": op.reversePred}
    return at.make("CopyPredicated", Engine.DVE, ins, [at.view(op.dst)], attrs)


RULES: Final[dict[str, Any]] = {
    "ncAffineSelect": _affine_select, "selectReduce": _select_reduce, "copyPredicated": _copy,
}  # fmt: skip
