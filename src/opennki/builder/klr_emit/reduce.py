"""Reductions along the free dimensions."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, immediate, named
from opennki.ir import View
from opennki.isa.reduce import TensorReduceOp, TensorScalarCacheReduce


def _reduce(inst: TensorReduceOp, at: Places) -> klr.Operator:
    """Dimensions of size 1 are left out: KLR counts the folded ones up to four."""
    data, axis = inst.walk
    args = klr.TensorReduce(
        at.view(inst.dst), at.view(data), named(klr.AluOp, inst.op),
        named(klr.TensorSubDim, axis), inst.negate, DTYPES[inst.dst.dtype], inst.keepdims,
    )  # fmt: skip
    return klr.Operator("tensorReduce", args)


def _tensor_scalar_reduce(inst: TensorScalarCacheReduce, at: Places) -> klr.Operator:
    start, result = inst.reduce_init, inst.reduce_res
    vector = at.view(start) if isinstance(start, View) else None
    args = klr.TensorScalarReduce(
        at.view(inst.dst), at.view(inst.data), at.operand(inst.operand0),
        named(klr.AluOp, inst.op0), inst.reverse0, DTYPES[inst.dst.dtype],
        named(klr.AluOp, inst.reduce_op), at.view(inst.dst if result is None else result),
        named(klr.AccumCmd, inst.reduce_cmd),
        None if start is None or isinstance(start, View) else immediate(start),
        hasReduceRes=result is not None, reduceInitTile=vector,
        negateReduceRes=inst.reduce_res_negate,
    )  # fmt: skip
    return klr.Operator("tensorScalarReduce", args)


EMITTERS: Final[dict[type, Any]] = {
    TensorReduceOp: _reduce, TensorScalarCacheReduce: _tensor_scalar_reduce,
}  # fmt: skip
