"""Reductions along the free dimensions."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.birpy.enums import TSCMode
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ACCUMULATE, ALU, AXES
from opennki.lower.beta2.site import Site

from .operands import single


def _reduce(op: klr.TensorReduce, at: Site) -> Instruction:
    """What `keepdims` says is in the shape of the destination already.

    Raises: NKI4501 for more dimensions than the access walks besides partitions.
    """
    src, dst = at.view(op.src), at.view(op.dst)
    if op.opDim.value + 1 >= len(src.ap):
        raise at.unsupported(f"opDim of an access of {len(src.ap)} pairs", op.opDim.klr)
    attrs = {"op": ALU[op.op], "axis": AXES[op.opDim.value], "negate": op.negated}
    return at.make("TensorReduce", Engine.DVE, [src], [dst], attrs)


def _tensor_scalar_reduce(op: klr.TensorScalarReduce, at: Site) -> Instruction:
    """A TensorScalarCache, which can go on with a reduction, and negate its result.

    Raises: NKI4501 without an operator to reduce with, and for two initial values.
    """
    if op.reduceOp is None:
        raise at.unsupported("reduceOp of tensorScalarReduce", "none")
    if op.reduceInit is not None and op.reduceInitTile is not None:
        raise at.unsupported("tensorScalarReduce", "reduceInit and reduceInitTile")
    start: klr.Operand | None = None if op.reduceInit is None else klr.Imm(op.reduceInit)
    if op.reduceInitTile is not None:
        start = klr.Tile(op.reduceInitTile)
    attrs = {
        "op0": ALU[op.op0], "op1": ALU[op.reduceOp], "reverse0": op.reverse0,
        "acc": ACCUMULATE[op.reduceCmd], "mode": TSCMode.Reduce,
        "negate_second_output": op.negateReduceRes,
    }  # fmt: skip
    ins = [at.view(op.src), *at.operands([op.operand0, start])]
    outs = [at.view(op.dst), *single(at, op.reduceRes if op.hasReduceRes else None)]
    return at.make("TensorScalarCache", Engine.DVE, ins, outs, attrs)


RULES: Final[dict[str, Any]] = {
    "tensorReduce": _reduce, "tensorScalarReduce": _tensor_scalar_reduce,
}  # fmt: skip
