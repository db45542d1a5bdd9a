"""Element-wise operations: two tiles, a tile and scalars, and reciprocals."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, ENGINES, Places, named
from opennki.isa.elementwise import (
    ReciprocalOp,
    ScalarTensorTensorOp,
    TensorScalarPtrOp,
    TensorTensorOp,
)
from opennki.isa.enums import AluOp
from opennki.isa.scan import TensorTensorScanOp

_REVERSED: Final = {
    (False, False): klr.TensorScalarReverseOps.none,
    (True, False): klr.TensorScalarReverseOps.first,
    (False, True): klr.TensorScalarReverseOps.second,
    (True, True): klr.TensorScalarReverseOps.both,
}


def reversed_operands(first: bool, second: bool) -> klr.TensorScalarReverseOps:
    """Which operators have their operands exchanged."""
    return _REVERSED[bool(first), bool(second)]


def _tensor_tensor(inst: TensorTensorOp, at: Places) -> klr.Operator:
    args = klr.TensorTensor(
        at.view(inst.dst), at.view(inst.data1), at.view(inst.data2), named(klr.AluOp, inst.op),
        DTYPES[inst.dst.dtype], ENGINES[inst.engine],
    )  # fmt: skip
    return klr.Operator("tensorTensor", args)


def _tensor_scalar(inst: TensorScalarPtrOp, at: Places) -> klr.Operator:
    two = inst.op1 is not AluOp.bypass or inst.operand1 is not None or inst.reverse1
    args = klr.TensorScalar(
        at.view(inst.dst), at.view(inst.data), at.operand(inst.operand0),
        named(klr.AluOp, inst.op0), at.optional_operand(inst.operand1),
        named(klr.AluOp, inst.op1) if two else None,
        reversed_operands(inst.reverse0, inst.reverse1), ENGINES[inst.engine],
        DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("tensorScalar", args)


def _scalar_tensor_tensor(inst: ScalarTensorTensorOp, at: Places) -> klr.Operator:
    args = klr.NcScalarTensorTensor(
        at.view(inst.dst), at.view(inst.data), at.operand(inst.operand0),
        at.operand(inst.operand1), named(klr.AluOp, inst.op0), named(klr.AluOp, inst.op1),
        reversed_operands(inst.reverse0, inst.reverse1), DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("ncScalarTensorTensor", args)


def _scan(inst: TensorTensorScanOp, at: Places) -> klr.Operator:
    args = klr.TensorTensorScan(
        at.view(inst.dst), at.view(inst.data0), at.view(inst.data1), named(klr.AluOp, inst.op0),
        named(klr.AluOp, inst.op1), reversed_operands(inst.reverse0, inst.reverse1),
        at.operand(inst.initial), klr.AccumCmd.Idle, DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("tensorTensorScan", args)


def _reciprocal(inst: ReciprocalOp, at: Places) -> klr.Operator:
    args = klr.Reciprocal(at.view(inst.dst), at.view(inst.data), DTYPES[inst.dst.dtype])
    return klr.Operator("reciprocal", args)


EMITTERS: Final[dict[type, Any]] = {
    TensorTensorOp: _tensor_tensor, TensorScalarPtrOp: _tensor_scalar,
    ScalarTensorTensorOp: _scalar_tensor_tensor, TensorTensorScanOp: _scan,
    ReciprocalOp: _reciprocal,
}  # fmt: skip
