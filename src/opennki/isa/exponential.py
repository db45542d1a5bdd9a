"""The exponential of the vector engine, with a maximum to subtract and a running sum."""

from __future__ import annotations

from typing import Final

from opennki.base.codes import NKI2110, NKI2121, NKI2123
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import (
    bfloat16,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from opennki.ir import ON_CHIP, Inst, View, attr, inp, instruction, out, state
from opennki.ir.scalar import Array
from opennki.target import COREV4, Target

from .act import ACT
from .alu import ALU, reduce
from .enums import ActFunc, AluOp, Engine, ReduceCmd
from .opcheck import command_problems, is_float32
from .reduce import started

SUMS: Final = frozenset({float8_e4m3, float8_e5m2, float16, bfloat16, float32, tfloat32})
RESULTS: Final = SUMS | {int8, int16, int32, uint8, uint16}
SOURCES: Final = (RESULTS - {tfloat32}) | {uint32}
FREE_DIMS: Final = 3
"""Dimensions that a tile walks besides the partition. Source: NKI ISA reference, exponential."""

_COMMANDS: Final = (
    ReduceCmd.Idle, ReduceCmd.ZeroAccumulate, ReduceCmd.Accumulate, ReduceCmd.LoadAccumulate,
)  # fmt: skip


@instruction(
    "exponential", emit="exponential", bir="Exponential", klr="Exponential",
    engines=(Engine.DVE,), since=COREV4,
)  # fmt: skip
class Exponential(Inst):
    """``dst = exp(src - max_value)`` in float32, and optionally a sum over each partition.

    `max_value` is a number or a float32 (P, 1) tile. The sum goes into the vector engine's
    accumulators, one float32 per partition. They start with 0 (`reduce_cmd` reset_reduce), with
    what they hold (reduce), or with `reduce_init`, a number or a float32 (P, 1) tile (load_reduce).
    `reduce_res` receives them afterwards.

    Source: NKI ISA reference, exponential. Model: the sum sees float32 values, not what rounding to
    the dtype of `dst` makes of them; with ``reduce_cmd=idle`` the accumulators stay as they are,
    though a device may change them (NKI6007); exp is exact up to rounding.
    """

    indirect = ("dst", "src")

    dst: View = out(ON_CHIP, "P F", RESULTS)
    src: View = inp(ON_CHIP, "P F", SOURCES)
    max_value: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True, default=0.0)
    reduce_res: View | None = out(ON_CHIP, "P 1", SUMS, optional=True)
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.Idle)
    reduce_init: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True, default=0.0)
    accumulators: Array = state()

    def check(self, t: Target) -> Problems:
        for name in ("dst", "src"):
            walked = sum(n > 1 for n in getattr(self, name).shape[1:])
            if walked > FREE_DIMS:
                yield problem(NKI2110, operand=name, got=walked, limit=FREE_DIMS)
        for name in ("max_value", "reduce_init"):
            value = getattr(self, name)
            if not isinstance(value, View) and not is_float32(value):
                yield problem(NKI2121, operand=name, got=value, inst=self.spec.label)
        yield from command_problems(self, self.reduce_cmd, _COMMANDS)
        if self.reduce_cmd is ReduceCmd.Idle and self.reduce_res is not None:
            yield problem(NKI2123, operand="reduce_res", when="when reduce_cmd is idle")
        loads = self.reduce_cmd is ReduceCmd.LoadAccumulate
        if not loads and (isinstance(self.reduce_init, View) or self.reduce_init != 0):
            yield problem(
                NKI2123, operand="reduce_init", when=f"when reduce_cmd is {self.reduce_cmd.nki}"
            )

    def sem(
        self, src: Array, max_value: Array, reduce_init: Array, accumulators: Array
    ) -> tuple[Array, Array | None, Array]:
        result = ACT[ActFunc.Exp].fn(ALU[AluOp.subtract].fn(src, max_value))
        after = started(self.reduce_cmd, AluOp.add, accumulators, reduce_init)
        if self.reduce_cmd is not ReduceCmd.Idle:
            after = ALU[AluOp.add].fn(after, reduce(AluOp.add, result, axis=1, keepdims=True))
        return result, None if self.reduce_res is None else after, after
