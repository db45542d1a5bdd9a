"""Element-wise: three calls are forms of BIR's TensorScalarPtr."""

from __future__ import annotations

from typing import Final

from opennki.ir import Inst
from opennki.isa.elementwise import ScalarTensorTensorOp
from opennki.isa.scan import TensorTensorScanOp
from opennki.lower.table import Attrs, Rule


def _operators(inst: ScalarTensorTensorOp | TensorTensorScanOp) -> Attrs:
    return {
        "op0": inst.op0, "op1": inst.op1, "reverse0": inst.reverse0, "reverse1": inst.reverse1,
    }  # fmt: skip


def _three_tiles(inst: ScalarTensorTensorOp) -> Attrs:
    return _operators(inst) | {"is_scalar_tensor_tensor": True}


def _scan(inst: TensorTensorScanOp) -> Attrs:
    return _operators(inst) | {"is_tensor_tensor_scan": True}


RULES: Final[dict[type[Inst], Rule]] = {
    ScalarTensorTensorOp: Rule(attrs=_three_tiles),
    TensorTensorScanOp: Rule(ins=("data0", "initial", "data1"), attrs=_scan),
}
