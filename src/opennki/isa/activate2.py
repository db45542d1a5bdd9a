"""The scalar engine's functions of gen4: two chosen operations, a function, a reduction."""

from __future__ import annotations

from typing import Final

from opennki.base.codes import NKI2116, NKI2117, NKI2121, NKI2122, NKI2123, NKI2501
from opennki.base.diag import Problems, problem
from opennki.ir import ON_CHIP, Inst, View, attr, inp, instruction, out, state
from opennki.ir.scalar import Array
from opennki.target import COREV4, Target

from .act import ACT
from .activation import (
    REDUCERS,
    REDUCES,
    UNPACKED,
    Domain,
    accumulate,
    domain_of,
    outside,
    reducer_problems,
)
from .alu import ALU
from .enums import ActFunc, AluOp, Engine, ReduceCmd
from .opcheck import command_problems, is_float32

SECOND: Final[dict[AluOp, tuple[AluOp, ...]]] = {
    AluOp.mult: (AluOp.add, AluOp.subtract, AluOp.bypass),
    AluOp.add: (AluOp.bypass,),
    AluOp.subtract: (AluOp.bypass,),
    AluOp.bypass: (AluOp.bypass,),
}
"""What may follow each first operation. Source: NKI ISA reference, activate2."""

_COMMANDS: Final = (
    ReduceCmd.Idle, ReduceCmd.Zero, ReduceCmd.Accumulate, ReduceCmd.ZeroAccumulate,
)  # fmt: skip


@instruction(
    "activate2", emit="activate2", bir="Activation", klr="Activate2", engines=(Engine.ACT,),
    since=COREV4, owner=False,
)  # fmt: skip
class Activate2(Inst):
    """``dst = op((data op0 imm0) op1 imm1)`` in float32, and optionally a reduction.

    `imm0`, `imm1` and `relu_param`, the slope of prelu, are numbers or (P, 1) tiles. `op0` is
    multiply, add, subtract or bypass, which leaves its input as it is; `op1` is bypass, or after a
    multiply also add or subtract. `reverse0` computes ``imm0 op0 data``, and `reverse1`
    ``imm1 op1 result``.

    The engine keeps one float32 accumulator per partition, the same as for `activation`.
    `reduce_cmd` resets it to what changes no result of `reduce_op`, reduces the results of this
    instruction onto it, or both; `reduce_res` receives it as it is afterwards.

    Inputs outside `domain_of` give invalid results on a device.

    Source: NKI ISA reference, activate2. Model: the reduction sees float32 values, not what
    rounding to the dtype of `dst` makes of them; reset without `reduce_op` leaves 0.
    """

    indirect = ("dst", "data")

    dst: View = out(ON_CHIP, "P F", UNPACKED)
    op: ActFunc = attr(ActFunc, bir="func")
    data: View = inp(ON_CHIP, "P F", UNPACKED)
    imm0: View | float = inp(ON_CHIP, "P 1", UNPACKED, number=True)
    imm1: View | float = inp(ON_CHIP, "P 1", UNPACKED, number=True)
    op0: AluOp = attr(AluOp)
    op1: AluOp = attr(AluOp)
    relu_param: View | float = inp(ON_CHIP, "P 1", UNPACKED, number=True, default=0.0)
    reverse0: bool = attr(bool, False)
    reverse1: bool = attr(bool, False)
    reduce_op: AluOp = attr(AluOp, AluOp.bypass)
    reduce_res: View | None = out(ON_CHIP, "P 1", UNPACKED, optional=True)
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.Idle, bir="acc")
    accumulators: Array = state()

    def domain_of(self) -> Domain | None:
        """As `ActivationOp.domain_of`."""
        return domain_of(self.op)

    def argument(
        self, data: Array, imm0: Array, imm1: Array, relu_param: Array, accumulators: Array
    ) -> Array:
        """What `op` is applied to, for operands as `sem` gets them."""
        first = _computed(self.op0, data, imm0, self.reverse0)
        return _computed(self.op1, first, imm1, self.reverse1)

    def watch(
        self, data: Array, imm0: Array, imm1: Array, relu_param: Array, accumulators: Array
    ) -> Problems:
        """Inputs that the engine's tables do not cover."""
        return outside(self.op, self.argument(data, imm0, imm1, relu_param, accumulators))

    def check(self, t: Target) -> Problems:
        yield from self._operator_problems()
        yield from self._operand_problems()
        yield from command_problems(self, self.reduce_cmd, _COMMANDS)
        if self.reduce_op is AluOp.bypass:
            if self.reduce_cmd in REDUCES:
                yield problem(NKI2122, operand="reduce_op", when="for reduce_cmd to reduce with")
            return
        yield from reducer_problems(self, self.reduce_op, REDUCERS)
        if self.reduce_cmd is ReduceCmd.Idle:
            yield problem(NKI2123, operand="reduce_op", when="when reduce_cmd is idle")

    def _operator_problems(self) -> Problems:
        """The function exists, and so does this pair of operations; what is reversed is there."""
        if self.op not in ACT:
            yield problem(NKI2501, op=self.op, close="")
        first, second = self.op0, self.op1
        allowed: tuple[AluOp, ...] = tuple(SECOND)
        if first not in allowed:
            wrong, where = first, f"op0 of {self.spec.label}"
        else:
            allowed = SECOND[first]
            wrong, where = second, f"op1 of {self.spec.label} after op0={_named(first)}"
        if wrong not in allowed:
            names = ", ".join(map(_named, allowed))
            yield problem(NKI2117, op=_named(wrong), inst=where, allowed=names)
        for name, op in (("0", first), ("1", second)):
            if getattr(self, f"reverse{name}") and op is AluOp.bypass:
                yield problem(NKI2123, operand=f"reverse{name}", when=f"when op{name} is bypass")

    def _operand_problems(self) -> Problems:
        """Numbers are float32; two tiles have one dtype; a slope is given to prelu only."""
        for name in ("imm0", "imm1", "relu_param"):
            value = getattr(self, name)
            if not isinstance(value, View) and not is_float32(value):
                yield problem(NKI2121, operand=name, got=value, inst=self.spec.label)
        one, two = self.imm0, self.imm1
        if isinstance(one, View) and isinstance(two, View) and one.dtype != two.dtype:
            yield problem(
                NKI2116, first="imm0", first_dtype=one.dtype, second="imm1",
                second_dtype=two.dtype, inst=self.spec.label,
            )  # fmt: skip
        slope = self.relu_param
        if self.op in ACT and ACT[self.op].arity < 2 and (isinstance(slope, View) or slope != 0):
            when = f"when op is {ACT[self.op].nki}, which has no parameter"
            yield problem(NKI2123, operand="relu_param", when=when)

    def sem(
        self, data: Array, imm0: Array, imm1: Array, relu_param: Array, accumulators: Array
    ) -> tuple[Array, Array | None, Array]:
        argument = self.argument(data, imm0, imm1, relu_param, accumulators)
        row = ACT[self.op]
        result = row.fn(argument, relu_param) if row.arity == 2 else row.fn(argument)
        after = accumulate(self.reduce_cmd, self.reduce_op, result, accumulators)
        return result, None if self.reduce_res is None else after, after


def _computed(op: AluOp, value: Array, number: Array, reverse: bool) -> Array:
    """One of the two operations before the function."""
    if op is AluOp.bypass:
        return value
    return ALU[op].fn(number, value) if reverse else ALU[op].fn(value, number)


def _named(op: AluOp) -> str:
    return ALU[op].nki if op in ALU else op.name
