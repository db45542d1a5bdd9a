"""Functions evaluated by the scalar engine's tables, with scale, bias and a running reduction."""

from __future__ import annotations

import numpy as np

from opennki.base.codes import (
    NKI2117,
    NKI2121,
    NKI2122,
    NKI2123,
    NKI2124,
    NKI2501,
    NKI2502,
    NKI2504,
    NKI6003,
)
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import ALL, PACKED, float32, tfloat32
from opennki.ir import ON_CHIP, Given, Inst, View, attr, inp, instruction, out, state
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .act import ACT
from .alu import ALU, reduce
from .enums import ActFunc, AluOp, Engine, ReduceCmd
from .opcheck import is_float32

UNPACKED = frozenset(ALL) - PACKED
BIAS = UNPACKED - {tfloat32}
REDUCERS = (AluOp.add, AluOp.max, AluOp.min, AluOp.abs_max, AluOp.abs_min)
RESETS = frozenset({ReduceCmd.Zero, ReduceCmd.ZeroAccumulate})
REDUCES = frozenset({ReduceCmd.Accumulate, ReduceCmd.ZeroAccumulate})

Domain = tuple[float, float, bool]


@instruction(
    "activation", emit="activation", bir="Activation", klr="NcActivate", engines=(Engine.ACT,),
    since=SUNDA,
)  # fmt: skip
class ActivationOp(Inst):
    """``dst = op(data * scale + bias)`` in float32, and optionally a sum over each partition.

    `scale` is a number or a float32 (P, 1) tile; `bias` a (P, 1) tile, nothing, or from gen3 on a
    number. The engine keeps one float32 accumulator per partition. `reduce_cmd` resets it, adds the
    results of this instruction (before they are rounded for `dst`), or both; `reduce_res` receives
    it as it is afterwards, also if the command is idle.

    Inputs outside `domain_of` give invalid results on a device.

    Source: NKI ISA reference, activation, whose pseudo code for `reduce` counts the old value
    twice; the text ("reduce over existing values") is what is done here. Model: the call has no
    argument for prelu's slope, so a kernel gets 0, as by default in activate2, and a warning;
    `alpha` is the field of the BIR instruction.
    """

    indirect = ("dst", "data")

    dst: View = out(ON_CHIP, "P F", UNPACKED)
    op: ActFunc = attr(ActFunc, bir="func")
    data: View = inp(ON_CHIP, "P F", UNPACKED)
    bias: View | float | None = inp(ON_CHIP, "P 1", BIAS, number=True, optional=True, default=None)
    scale: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True, default=1.0)
    reduce_op: AluOp = attr(AluOp, AluOp.bypass)
    reduce_res: View | None = out(ON_CHIP, "P 1", UNPACKED, optional=True)
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.Idle, bir="acc")
    alpha: float = attr(float, 0.0, surface=False)
    accumulators: Array = state()

    def domain_of(self) -> Domain | None:
        """Smallest and largest valid input of `op`, and whether they bound abs(input); None: all.

        The input is ``data * scale + bias``.
        """
        return domain_of(self.op)

    def argument(self, data: Array, bias: Array | None, scale: Array, accumulators: Array) -> Array:
        """What `op` is applied to, for operands as `sem` gets them: ``data * scale + bias``."""
        return scaled(data, scale, bias)

    def watch(self, data: Array, bias: Array | None, scale: Array, accumulators: Array) -> Problems:
        """Inputs that the engine's tables do not cover."""
        return outside(self.op, self.argument(data, bias, scale, accumulators))

    def check(self, t: Target) -> Problems:
        yield from function_problems(self, self.op, self.bias, self.scale, t)
        if self.op is ActFunc.Prelu and self.alpha == 0:
            yield problem(NKI2504)
        if self.reduce_cmd is ReduceCmd.LoadAccumulate:
            yield problem(
                NKI2124, name="reduce_cmd", got="load_reduce", inst=self.spec.label,
                allowed="idle, reset, reduce, reset_reduce",
            )  # fmt: skip
        if self.reduce_op is not AluOp.bypass:
            yield from reducer_problems(self, self.reduce_op, (AluOp.add,))
            if self.reduce_cmd not in REDUCES:
                yield problem(
                    NKI2123, operand="reduce_op",
                    when="unless reduce_cmd is reduce or reset_reduce",
                )  # fmt: skip
        elif self.reduce_cmd in REDUCES:
            yield problem(NKI2122, operand="reduce_op", when="for reduce_cmd to reduce with")

    def sem(
        self, data: Array, bias: Array | None, scale: Array, accumulators: Array
    ) -> tuple[Array, Array | None, Array]:
        result = activate(self.op, scaled(data, scale, bias), self.alpha)
        after = accumulate(self.reduce_cmd, self.reduce_op, result, accumulators)
        return result, None if self.reduce_res is None else after, after


@instruction(
    "activation_reduce", emit="activation_accu", bir="Activation", klr="ActivationReduce",
    engines=(Engine.ACT,), since=SUNDA, owner=False,
)  # fmt: skip
class ActivationAccumulationOp(Inst):
    """``dst = op(data * scale + bias); reduce_res = reduce_op over each partition of that``.

    `activation` with ``reduce_cmd=reset_reduce``: the accumulators are reset first and keep the
    result, so without `reduce_res` a later `activation` can read or continue them.

    Source: NKI ISA reference, activation_reduce. It demands add on gen2 only; the other operators,
    and what a reset leaves for them (their neutral element), are documented for gen4 (activate2).
    """

    indirect = ("dst", "data")

    dst: View = out(ON_CHIP, "P F", UNPACKED)
    op: ActFunc = attr(ActFunc, bir="func")
    data: View = inp(ON_CHIP, "P F", UNPACKED)
    reduce_op: AluOp = attr(AluOp)
    reduce_res: View | None = out(ON_CHIP, "P 1", UNPACKED, optional=True, given=Given.ANYTHING)
    bias: View | float | None = inp(ON_CHIP, "P 1", BIAS, number=True, optional=True, default=None)
    scale: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True, default=1.0)
    alpha: float = attr(float, 0.0, surface=False)
    accumulators: Array = state()
    accumulates_as = "activation"

    def domain_of(self) -> Domain | None:
        """As `ActivationOp.domain_of`."""
        return domain_of(self.op)

    def argument(self, data: Array, bias: Array | None, scale: Array, accumulators: Array) -> Array:
        """What `op` is applied to, for operands as `sem` gets them: ``data * scale + bias``."""
        return scaled(data, scale, bias)

    def watch(self, data: Array, bias: Array | None, scale: Array, accumulators: Array) -> Problems:
        """Inputs that the engine's tables do not cover."""
        return outside(self.op, self.argument(data, bias, scale, accumulators))

    def check(self, t: Target) -> Problems:
        yield from function_problems(self, self.op, self.bias, self.scale, t)
        if self.op is ActFunc.Prelu and self.alpha == 0:
            yield problem(NKI2504)
        allowed = REDUCERS if t.has("act_reduce_any") else (AluOp.add,)
        yield from reducer_problems(self, self.reduce_op, allowed)

    def sem(
        self, data: Array, bias: Array | None, scale: Array, accumulators: Array
    ) -> tuple[Array, Array | None, Array]:
        result = activate(self.op, scaled(data, scale, bias), self.alpha)
        after = accumulate(ReduceCmd.ZeroAccumulate, self.reduce_op, result, accumulators)
        return result, None if self.reduce_res is None else after, after


def outside(op: ActFunc, argument: Array) -> Problems:
    """The first value of `argument` that lies outside the domain of `op`, if any does."""
    domain = domain_of(op)
    if domain is None:
        return
    low, high, symmetric = domain
    tested = np.abs(argument) if symmetric else argument
    wrong = (tested < low) | (tested > high)
    if wrong.any():
        value = float(argument[wrong][0])
        yield problem(NKI6003, op=ACT[op].nki, value=value, low=low, high=high)


def domain_of(op: ActFunc) -> Domain | None:
    """Valid input range of `op` as (low, high, bounds abs(input)); None if every input is valid."""
    row = ACT[op]
    low, high = row.domain
    return None if np.isinf([low, high]).all() else (low, high, row.symmetric)


def function_problems(
    inst: Inst, op: ActFunc, bias: View | float | None, scale: View | float, t: Target
) -> Problems:
    """`op` is a function, `scale` and `bias` are what the target takes with it."""
    if op not in ACT:
        yield problem(NKI2501, op=op, close="")
    for name, value in (("scale", scale), ("bias", 0.0 if bias is None else bias)):
        if not isinstance(value, View) and not is_float32(value):
            yield problem(NKI2121, operand=name, got=value, inst=inst.spec.label)
    number = bias is not None and not isinstance(bias, View)
    if number and bias != 0 and not t.has("scalar_bias"):
        yield problem(NKI2502, operand="bias", got=bias, target=t.title)
    biased = isinstance(bias, View) or (number and bias != 0)
    if op is ActFunc.Reciprocal and biased and not t.has("scalar_bias"):
        yield problem(NKI2123, operand="bias", when=f"when op is reciprocal on {t.title}")


def reducer_problems(inst: Inst, op: AluOp, allowed: tuple[AluOp, ...]) -> Problems:
    """`op` is one of `allowed`."""
    if op not in allowed:
        name = ALU[op].nki if op in ALU else op
        accepted = ", ".join(ALU[member].nki for member in allowed)
        where = f"the reduction in {inst.spec.label}"
        yield problem(NKI2117, op=name, inst=where, allowed=accepted)


def scaled(data: Array, scale: Array, bias: Array | None) -> Array:
    """``data * scale + bias`` in float32; each is (P, F), (P, 1) or a number."""
    with np.errstate(all="ignore"):
        product: Array = data * scale
        return product if bias is None else product + bias


def activate(op: ActFunc, argument: Array, alpha: float = 0.0) -> Array:
    """`op` of a float32 array; `alpha` is the slope of prelu."""
    row = ACT[op]
    return row.fn(argument, np.float32(alpha)) if row.arity == 2 else row.fn(argument)


def accumulate(command: ReduceCmd, op: AluOp, values: Array, acc: Array) -> Array:
    """Accumulators, float32 (P, 1), after `command` with the reduction of `values` (P, F) by `op`.

    A reset leaves the neutral element of `op` (0 without one).
    """
    row = ALU[op]
    neutral = np.float32(0.0 if row.identity is None else row.identity)
    before = np.full_like(acc, neutral) if command in RESETS else acc
    if command not in REDUCES:
        return before
    return row.fn(before, reduce(op, values, axis=1, keepdims=True))
