"""Recurrences along the free dimension on the vector engine."""

from __future__ import annotations

from opennki.base.diag import Problems
from opennki.ir import ON_CHIP, Inst, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .elementwise import scan
from .enums import AluOp, Engine
from .opcheck import both_psum_problems, op_problems


@instruction(
    "tensor_tensor_scan", emit="tensortensorscan", bir="TensorScalarPtr", klr="TensorTensorScan",
    engines=(Engine.DVE,), since=SUNDA, owner=False,
)  # fmt: skip
class TensorTensorScanOp(Inst):
    """Scan of two tiles: ``r[f] = op1(op0(data0[f], r[f - 1]), data1[f])``, from `initial` on.

    `initial` is a number or a (P, 1) tile. `reverse0` and `reverse1` swap an operator's inputs.
    Binary arithmetic operators only; `data0` and `data1` cannot both be in PSUM. The recurrence
    runs in float32 and only what is stored is rounded to the dtype of `dst`.

    Source: NKI ISA reference, tensor_tensor_scan.
    """

    dst: View = out(ON_CHIP, "P F")
    data0: View = inp(ON_CHIP, "P F")
    data1: View = inp(ON_CHIP, "P F")
    initial: View | float = inp(ON_CHIP, "P 1", number=True)
    op0: AluOp = attr(AluOp)
    op1: AluOp = attr(AluOp)
    reverse0: bool = attr(bool, False)
    reverse1: bool = attr(bool, False)

    def check(self, t: Target) -> Problems:
        yield from both_psum_problems(self, "data0", "data1")
        for op in (self.op0, self.op1):
            yield from op_problems(self, op, t, arity=2, kind="arithmetic")

    def sem(self, data0: Array, data1: Array, initial: Array) -> Array:
        steps = ((self.op0, self.reverse0), (self.op1, self.reverse1))
        return scan(steps, data0, data1, initial)
