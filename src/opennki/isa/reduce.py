"""Reductions along the free dimensions on the vector engine."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from opennki.base.codes import (
    NKI2101,
    NKI2117,
    NKI2122,
    NKI2123,
    NKI2124,
    NKI2401,
    NKI2402,
    NKI2403,
    NKI2404,
    NKI2405,
)
from opennki.base.diag import Problem, Problems, problem
from opennki.base.dtypes import float32
from opennki.ir import ON_CHIP, Given, Inst, Read, View, attr, changed, inp, instruction, out, state
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .alu import ALU, reduce
from .elementwise import apply, operand_problems
from .enums import AluOp, AxisList, Engine, ReduceCmd
from .opcheck import bitvec_problems, is_bitvec, op_problems


def reduce_axes(axis: int | Iterable[int], ndim: int) -> tuple[int, ...]:
    """The `axis` argument of a reduction over `ndim` dimensions: ascending, none negative.

    What no tile has (an axis beyond `ndim`, one twice) is kept for `TensorReduceOp.check`.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return tuple(sorted(a + ndim if -ndim <= a < 0 else a for a in axes))


def axes_of(axis: AxisList, ndim: int) -> tuple[int, ...]:
    """The dimensions that BIR's `axis` means in a pattern of `ndim` dimensions."""
    return tuple(range(ndim - 1 - axis.value, ndim))


@instruction(
    "tensor_reduce", emit="tensorreduce", bir="TensorReduce", klr="TensorReduce",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class TensorReduceOp(Inst):
    """Fold the last dimensions of `data` with `op`: ``dst[p, kept] = op over axis of data``.

    `axis` is a run of dimensions that ends with the last and does not contain 0, in the form that
    `reduce_axes` makes. The fold starts with the first element: subtract gives the first minus all
    others. Arithmetic runs in float32 and `negate` multiplies its result by -1; bitvec operators
    see integer bits. `keepdims` says what shape the caller thinks of; as `dst` brings its own
    shape, only its number of elements counts and the results are the same.

    Source: NKI ISA reference, tensor_reduce.
    """

    indirect = ("dst", "data")

    dst: View = out(ON_CHIP, "* *")
    op: AluOp = attr(AluOp)
    data: View = inp(ON_CHIP, "P ...")
    axis: tuple[int, ...] = attr(tuple)
    negate: bool = attr(bool, False)
    keepdims: bool = attr(bool, False, bir="")

    def prepare(self, t: Target) -> None:
        """Axes ascending and none negative."""
        self.axis = reduce_axes(self.axis, len(self.data.shape))

    def check(self, t: Target) -> Problems:
        if self.op not in LEGAL:
            yield illegal(self, self.op, LEGAL)
        else:
            yield from op_problems(self, self.op, t)
        yield from bitvec_problems(self, self.op, "dst", "data")
        if self.negate and is_bitvec(self.op):
            yield problem(NKI2405, op=ALU[self.op].nki)
        yield from self._axis_problems()

    def _axis_problems(self) -> Problems:
        axis, ndim = self.axis, len(self.data.shape)
        first = ndim - len(axis)
        if not axis:
            allowed = f"one or more of the axes 1 to {ndim - 1}"
            yield problem(NKI2124, name="axis", got=axis, allowed=allowed, inst=self.spec.label)
        elif len(set(axis)) < len(axis) or not set(axis) <= set(range(ndim)):
            yield problem(NKI2403, axis=axis, ndim=ndim)
        elif 0 in axis:
            yield problem(NKI2401, axis=axis, inst=self.spec.label)
        elif axis != tuple(range(first, ndim)):
            yield problem(NKI2402, axis=axis, ndim=ndim)
        elif self.dst.shape[0] != self.data.shape[0]:  # after the axes, which it may follow from
            facts = {"got": self.dst.shape[0], "want": self.data.shape[0], "other": "data"}
            yield problem(NKI2101, operand="dst", inst=self.spec.label, **facts)
        elif self.dst.free_size != (kept := prod(self.data.shape[1:first])):
            yield problem(
                NKI2404, operand="dst", got=self.dst.free_size, axis=axis, want=kept,
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Bits for bitvec operators, float32 otherwise."""
        return Read.RAW if is_bitvec(self.op) else Read.F32

    def sem(self, data: Array) -> Array:
        folded = reduce(self.op, data, self.axis).reshape(len(data), -1)
        return -folded if self.negate else folded

    @property
    def walk(self) -> tuple[View, AxisList]:
        """`data` and `axis` as BIR has them: how many of the last dimensions are folded.

        Dimensions of size 1 are left out, so that BIR's four letters do; one folded dimension
        stays in any case.
        """
        view = self.data
        first = len(view.shape) - len(self.axis)
        sizes = tuple(enumerate(view.shape))
        folded = [k for k, size in sizes[first:] if size > 1] or [len(sizes) - 1]
        kept = [0, *(k for k, size in sizes[1:first] if size > 1), *folded]
        shape = tuple(view.shape[k] for k in kept)
        strides = tuple(view.strides[k] for k in kept)
        return changed(view, shape=shape, strides=strides), AxisList(len(folded) - 1)


LEGAL = frozenset(row.key for row in ALU.values() if row.reduces)
"""Operators that tensor_reduce folds with."""


def illegal(inst: Inst, op: AluOp, legal: frozenset[AluOp]) -> Problem:
    """The problem that `inst` cannot fold with `op`, only with the operators in `legal`."""
    row = ALU.get(op)
    allowed = frozenset(ALU[member].nki for member in legal)
    return problem(NKI2117, op=row.nki if row else op.name, inst=inst.spec.label, allowed=allowed)


@instruction(
    "tensor_scalar_reduce", emit="tensorscalarreduce", bir="TensorScalarCache",
    klr="TensorScalarReduce", engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class TensorScalarCacheReduce(Inst):
    """``dst = op0(data, operand0)``, and its fold along the free dimension with `reduce_op`.

    The fold goes into the vector engine's accumulation registers, one per partition. They start
    with the identity of `reduce_op` (reset_reduce: 0 for add, 1 for multiply, -inf for max, +inf
    for min), with what they hold (reduce), or with `reduce_init` (load_reduce). `reduce_res`, if
    given, receives them afterwards, negated when `reduce_res_negate`; the registers keep their
    sign. The fold sees float32 values, not what rounding to the dtype of `dst` makes of them.

    `reverse0` is part of the call but not supported yet, and refused.

    Source: NKI ISA reference, tensor_scalar_reduce.
    """

    indirect = ("dst", "data")

    dst: View = out(ON_CHIP, "P F")
    data: View = inp(ON_CHIP, "P F")
    op0: AluOp = attr(AluOp)
    operand0: View | float | None = inp(
        ON_CHIP, "P 1", frozenset({float32}), number=True, optional=True, given=Given.ANYTHING
    )
    reduce_op: AluOp = attr(AluOp, bir="op1")
    reduce_res: View | None = out(ON_CHIP, "P 1", optional=True)
    reverse0: bool = attr(bool, False)
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.ZeroAccumulate, bir="acc")
    reduce_init: View | float | None = inp(
        ON_CHIP, "P 1", frozenset({float32}), number=True, optional=True
    )
    reduce_res_negate: bool = attr(bool, False, bir="negate_second_output")
    accumulators: Array = state()

    def check(self, t: Target) -> Problems:
        yield from op_problems(self, self.op0, t, kind="arithmetic")
        yield from operand_problems(self, "operand0", self.op0, t)
        if self.reduce_op not in ACCUMULATES:
            yield illegal(self, self.reduce_op, ACCUMULATES)
        if self.reverse0:
            yield problem(
                NKI2124, name="reverse0", got=True, allowed="False (not supported yet)",
                inst=self.spec.label,
            )  # fmt: skip
        command = _COMMANDS.get(self.reduce_cmd)
        if command is None:
            allowed = ", ".join(_COMMANDS.values())
            yield problem(
                NKI2124, name="reduce_cmd", got=self.reduce_cmd.nki, allowed=allowed,
                inst=self.spec.label,
            )  # fmt: skip
        elif self.reduce_cmd is ReduceCmd.LoadAccumulate:
            if self.reduce_init is None:
                yield problem(NKI2122, operand="reduce_init", when="when reduce_cmd is load_reduce")
        elif self.reduce_init is not None:
            yield problem(NKI2123, operand="reduce_init", when=f"when reduce_cmd is {command}")

    def sem(
        self, data: Array, operand0: Array, reduce_init: Array, accumulators: Array
    ) -> tuple[Array, Array, Array]:
        result = apply(self.op0, data, operand0)
        start = started(self.reduce_cmd, self.reduce_op, accumulators, reduce_init)
        total = ALU[self.reduce_op].fn(start, reduce(self.reduce_op, result, keepdims=True))
        return result, -total if self.reduce_res_negate else total, total


ACCUMULATES = frozenset({AluOp.add, AluOp.mult, AluOp.max, AluOp.min})
"""Operators that the accumulation registers fold with."""

_COMMANDS = {
    ReduceCmd.ZeroAccumulate: "reset_reduce",
    ReduceCmd.Accumulate: "reduce",
    ReduceCmd.LoadAccumulate: "load_reduce",
}


def started(
    command: ReduceCmd, op: AluOp, accumulators: Array, initial: Array | None = None
) -> Array:
    """Accumulators, float32 (P, 1), before `command` takes in anything.

    They hold the neutral element of `op` after a reset, `initial` (a number or (P, 1)) when that is
    loaded, and otherwise what they held.
    """
    if command in (ReduceCmd.Zero, ReduceCmd.ZeroAccumulate):
        return np.full_like(accumulators, ALU[op].identity)
    if command is ReduceCmd.LoadAccumulate:
        return np.broadcast_to(np.asarray(initial), accumulators.shape).astype(np.float32)
    return accumulators
