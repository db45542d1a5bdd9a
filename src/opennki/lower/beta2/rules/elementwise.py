"""Element-wise operations; all but those of two tiles are forms of BIR's TensorScalarPtr."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import AluOp, Engine
from opennki.lower.beta2.enums import ALU, ENGINES, REVERSED
from opennki.lower.beta2.site import Site


def _tensor_tensor(op: klr.TensorTensor, at: Site) -> Instruction:
    ins = at.views([op.src0, op.src1])
    return at.make("TensorTensor", ENGINES[op.engine], ins, [at.view(op.dst)], {"op": ALU[op.op]})


def _operators(op: Any) -> dict[str, object]:
    """The two operators of a structure, and which have their operands exchanged."""
    reverse = op.reverse if hasattr(op, "reverse") else op.reverseOperands
    first, second = REVERSED[reverse]
    op1 = AluOp.bypass if op.op1 is None else ALU[op.op1]
    return {"op0": ALU[op.op0], "op1": op1, "reverse0": first, "reverse1": second}


def _tensor_scalar(op: klr.TensorScalar, at: Site) -> Instruction:
    ins = [at.view(op.src), *at.operands([op.imm0, op.imm1])]
    return at.make("TensorScalarPtr", ENGINES[op.engine], ins, [at.view(op.dst)], _operators(op))


def _scalar_tensor_tensor(op: klr.NcScalarTensorTensor, at: Site) -> Instruction:
    ins = [at.view(op.data), *at.operands([op.src0, op.src1])]
    attrs = _operators(op) | {"is_scalar_tensor_tensor": True}
    return at.make("TensorScalarPtr", Engine.DVE, ins, [at.view(op.dst)], attrs)


def _scan(op: klr.TensorTensorScan, at: Site) -> Instruction:
    """The compiler that reads KLR sets is_scalar_tensor_tensor as well; that form has three tiles,
    so only the scan's flag is set here (docs/design/roads.md)."""
    if op.accumulatorCmd is not klr.AccumCmd.Idle:
        raise at.unsupported("accumulatorCmd", op.accumulatorCmd.klr)
    ins = [at.view(op.src0), *at.operands([op.imm0]), at.view(op.src1)]
    attrs = _operators(op) | {"is_tensor_tensor_scan": True}
    return at.make("TensorScalarPtr", Engine.DVE, ins, [at.view(op.dst)], attrs)


def _reciprocal(op: klr.Reciprocal, at: Site) -> Instruction:
    return at.make("Reciprocal", Engine.DVE, [at.view(op.src)], [at.view(op.dst)], {})


RULES: Final[dict[str, Any]] = {
    "tensorTensor": _tensor_tensor, "tensorScalar": _tensor_scalar,
    "ncScalarTensorTensor": _scalar_tensor_tensor, "tensorTensorScan": _scan,
    "reciprocal": _reciprocal,
}  # fmt: skip
