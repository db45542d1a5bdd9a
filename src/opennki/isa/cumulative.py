"""Running sums, products and extremes along the free dimension, kept in the accumulators."""

from __future__ import annotations

from typing import Final

import numpy as np

from opennki.base.codes import NKI2121, NKI2122, NKI2123
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import FP8, bfloat16, float16, float32, int8, int16, uint8, uint16
from opennki.ir import ON_CHIP, Inst, View, attr, inp, instruction, out, state
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .alu import ALU
from .elementwise import apply, operand_problems
from .enums import AluOp, Engine, ReduceCmd
from .opcheck import command_problems, is_float32, op_problems
from .reduce import illegal, started

TILES: Final = FP8 | {bfloat16, float16, float32, uint8, uint16, int8, int16}
ACCUMULATES: Final = frozenset({AluOp.add, AluOp.subtract, AluOp.mult, AluOp.max, AluOp.min})
"""Operators that a running value goes on with."""

_COMMANDS: Final = (
    ReduceCmd.ZeroAccumulate, ReduceCmd.Accumulate, ReduceCmd.LoadAccumulate,
)  # fmt: skip


@instruction(
    "tensor_scalar_cumulative", emit="tensorscalarcumulative", bir="TensorScalarCache",
    klr="TensorScalarCumulative", engines=(Engine.DVE,), since=SUNDA, owner=False,
)  # fmt: skip
class TensorScalarCacheCumulative(Inst):
    """``dst[p, f] = r = op1(op0(src[p, f], imm0), r)``, element after element in float32.

    r is the vector engine's accumulator of the partition. It starts with the identity of `op1`
    (`reduce_cmd` reset_reduce: 0 for add and subtract, 1 for multiply, -inf for max, +inf for min),
    with what it holds (reduce), or with `imm1` (load_reduce), and keeps the last result. `imm0`
    and `imm1` are numbers or float32 (P, 1) tiles. Note the order: subtract is the new value minus
    the running one. `reverse0`, which only BIR has, swaps the inputs of `op0`.

    `imm1` belongs to load_reduce. With reduce it may be given and says nothing, because published
    kernels repeat the arguments of the call before; with reset_reduce it is refused.

    Source: NKI ISA reference, tensor_scalar_cumulative and its examples. Model: a unary `op0` takes
    0 as `imm0`, as in tensor_scalar; only what is stored is rounded to the dtype of `dst`.
    """

    indirect = ("dst", "src")

    dst: View = out(ON_CHIP, "P F", TILES)
    src: View = inp(ON_CHIP, "P F", TILES)
    op0: AluOp = attr(AluOp)
    op1: AluOp = attr(AluOp)
    imm0: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True)
    imm1: View | float | None = inp(
        ON_CHIP, "P 1", frozenset({float32}), number=True, optional=True
    )
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.ZeroAccumulate, bir="acc")
    reverse0: bool = attr(bool, False, surface=False)
    accumulators: Array = state()

    def check(self, t: Target) -> Problems:
        yield from op_problems(self, self.op0, t, kind="arithmetic")
        yield from operand_problems(self, "imm0", self.op0, t)
        if self.op1 not in ACCUMULATES:
            yield illegal(self, self.op1, ACCUMULATES)
        for name in ("imm0", "imm1"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, View) and not is_float32(value):
                yield problem(NKI2121, operand=name, got=value, inst=self.spec.label)
        yield from command_problems(self, self.reduce_cmd, _COMMANDS)
        if self.reduce_cmd is ReduceCmd.LoadAccumulate and self.imm1 is None:
            yield problem(NKI2122, operand="imm1", when="when reduce_cmd is load_reduce")
        if self.reduce_cmd is ReduceCmd.ZeroAccumulate and self.imm1 is not None:
            yield problem(NKI2123, operand="imm1", when="when reduce_cmd is reset_reduce")

    def sem(
        self, src: Array, imm0: Array, imm1: Array | None, accumulators: Array
    ) -> tuple[Array, Array]:
        fresh = apply(self.op0, src, imm0, self.reverse0)
        running = started(self.reduce_cmd, self.op1, accumulators, imm1)[:, 0]
        result = np.empty(fresh.shape, np.float32)
        for f in range(fresh.shape[1]):
            running = ALU[self.op1].fn(fresh[:, f], running)
            result[:, f] = running
        return result, running[:, None]
