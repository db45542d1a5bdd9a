"""Selection by the index of an element: it lies between two bounds, which differ by partition."""

from __future__ import annotations

from typing import Final

import numpy as np

from opennki.base.codes import NKI2117, NKI2123, NKI2124, NKI2608
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import FLOATS, float8_e8m0fnu, float32
from opennki.ir import ON_CHIP, Inst, View, attr, inp, instruction, out, state
from opennki.ir.scalar import Array
from opennki.target import CAYMAN, Target

from .alu import ALU, reduce
from .enums import AluOp, Engine, ReduceCmd
from .opcheck import command_problems
from .reduce import illegal, started

FILL: Final = float(np.finfo(np.float32).min)
"""What elements outside the range become: -FP32_MAX."""

LAST_INDEX: Final = 1 << 24
"""Up to here float32 has every integer."""

VALUES: Final = FLOATS - {float8_e8m0fnu}
COMPARISONS: Final = (
    AluOp.is_equal, AluOp.is_lt, AluOp.is_le, AluOp.is_gt, AluOp.is_ge,
)  # fmt: skip
_COMMANDS: Final = (
    ReduceCmd.Idle, ReduceCmd.Zero, ReduceCmd.Accumulate, ReduceCmd.ZeroAccumulate,
)  # fmt: skip


@instruction(
    "range_select", emit="range_select", bir="RangeSelect", klr="NcRangeSelect",
    engines=(Engine.DVE,), since=CAYMAN,
)  # fmt: skip
class RangeSelect(Inst):
    """Keep elements whose index meets two bounds, fill the others, and keep a running maximum.

    With ``index = range_start + f``, where f counts the elements of a partition,
    ``dst[p, f] = on_true_tile[p, f] if comp_op0(index, bound0[p]) and comp_op1(index, bound1[p])
    else on_false_value``. Indices and bounds are compared in float32, so no index may be beyond
    2^24. `on_false_value` can only be -FP32_MAX, which becomes -inf in narrower floats (what is
    selected overflows to infinities, too).

    `reduce_cmd` reset sets the vector engine's accumulators, one float32 per partition, to -inf;
    reduce takes in the maximum of the selected values (before they are rounded for `dst`);
    reset_reduce does both. `reduce_res` receives the accumulators afterwards.

    Source: NKI ISA reference, range_select. Model: float8_e4m3fn has no infinity, so it saturates;
    with ``reduce_cmd=idle`` the accumulators stay as they are, though a device may change them.
    """

    dst: View = out(ON_CHIP, "P F", saturates=False)
    on_true_tile: View = inp(ON_CHIP, "P F", VALUES)
    comp_op0: AluOp = attr(AluOp, bir="compare_op0")
    comp_op1: AluOp = attr(AluOp, bir="compare_op1")
    bound0: View = inp(ON_CHIP, "P 1", frozenset({float32}))
    bound1: View = inp(ON_CHIP, "P 1", frozenset({float32}))
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.ZeroAccumulate)
    reduce_res: View | None = out(ON_CHIP, "P 1", optional=True, saturates=False)
    reduce_op: AluOp = attr(AluOp, AluOp.max)
    range_start: int = attr(int, 0, bir="base")
    on_false_value: float = attr(float, FILL, bir="fill_value")
    accumulators: Array = state()

    def prepare(self, t: Target) -> None:
        """The one fill value, however many digits it was written with."""
        if _is_fill(self.on_false_value):
            self.on_false_value = FILL

    def check(self, t: Target) -> Problems:
        label = self.spec.label
        for op in (self.comp_op0, self.comp_op1):
            if op not in COMPARISONS:
                yield problem(
                    NKI2117, op=ALU[op].nki if op in ALU else op, inst=label,
                    allowed=", ".join(ALU[member].nki for member in COMPARISONS),
                )  # fmt: skip
        if self.reduce_op is not AluOp.max:
            yield illegal(self, self.reduce_op, frozenset({AluOp.max}))
        if not _is_fill(self.on_false_value):
            yield problem(
                NKI2124, name="on_false_value", got=self.on_false_value, inst=label, allowed=FILL
            )
        yield from command_problems(self, self.reduce_cmd, _COMMANDS)
        if self.reduce_cmd is ReduceCmd.Idle and self.reduce_res is not None:
            yield problem(NKI2123, operand="reduce_res", when="when reduce_cmd is idle")
        yield from self._index_problems()

    def _index_problems(self) -> Problems:
        first = self.range_start
        if not isinstance(first, int) or isinstance(first, bool):
            yield problem(
                NKI2124, name="range_start", got=first, allowed="integers", inst=self.spec.label
            )
            return
        last = first + self.on_true_tile.free_size - 1
        if first < -LAST_INDEX or last > LAST_INDEX:
            yield problem(NKI2608, inst=self.spec.label, first=first, last=last)

    def sem(
        self, on_true_tile: Array, bound0: Array, bound1: Array, accumulators: Array
    ) -> tuple[Array, Array | None, Array]:
        count = self.range_start + np.arange(on_true_tile.shape[1])
        index = count.astype(np.float32)[None, :]
        inside = (ALU[self.comp_op0].fn(index, bound0) != 0) & (
            ALU[self.comp_op1].fn(index, bound1) != 0
        )
        selected = np.where(inside, on_true_tile, np.float32(FILL))
        after = started(self.reduce_cmd, AluOp.max, accumulators)
        if self.reduce_cmd in (ReduceCmd.Accumulate, ReduceCmd.ZeroAccumulate):
            after = ALU[AluOp.max].fn(after, reduce(AluOp.max, selected, axis=1, keepdims=True))
        return selected, None if self.reduce_res is None else after, after


def _is_fill(value: object) -> bool:
    """Whether `value` is the number -FP32_MAX once it is a float32."""
    if isinstance(value, View) or not isinstance(value, int | float | np.number):
        return False
    with np.errstate(over="ignore"):
        return bool(np.float32(value) == np.float32(FILL))
