"""Selection by a condition per element: an affine pattern on GpSimd, a predicate tile on Vector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import numpy as np

from opennki.base.codes import NKI2106, NKI2116, NKI2117, NKI2121, NKI2122, NKI2123, NKI2124
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import (
    ALL,
    FLOATS,
    PACKED,
    int8,
    int16,
    int32,
    names,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from opennki.base.numerics import from_f32
from opennki.ir import (
    ON_CHIP,
    SBUF,
    Given,
    Inst,
    Masked,
    Read,
    View,
    attr,
    inp,
    instruction,
    out,
    state,
)
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .alu import ALU, reduce
from .enums import AluOp, Engine, ReduceCmd
from .opcheck import both_psum_problems, is_float32
from .pattern import Pattern, normalise, pattern_problems, values

UNPACKED = frozenset(ALL) - PACKED
NATIVE_INTS = frozenset({int32, uint32})
SELECTED = UNPACKED - NATIVE_INTS - {tfloat32}
COMPARISONS = (
    AluOp.is_equal, AluOp.not_equal, AluOp.is_gt, AluOp.is_ge, AluOp.is_lt, AluOp.is_le,
)  # fmt: skip
COPY_PREDICATES = frozenset({uint8, uint16, uint32})
SELECT_PREDICATES = frozenset({int8, uint8, int16, uint16})


@instruction(
    "affine_select", emit="affine_select", bir="TensorScalarAffineSelect", klr="NcAffineSelect",
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class AffSelTensorScalarOp(Inst):
    """Keep elements where an affine expression compares with zero, fill the others.

    ``dst[p, f] = on_true_tile[p, f] if cmp_op(value[p, f], 0) else on_false_value``, where value is
    the stream of int32 numbers described in `pattern`. `offset` may depend on loop variables; `sem`
    needs it as a number. Tiles of one 32-bit integer dtype are selected exactly, everything else
    goes through float32.

    Source: NKI ISA reference, affine_select.
    """

    dst: View = out(SBUF, "P F", UNPACKED)
    pattern: Pattern = attr(tuple)
    channel_multiplier: int = attr(int)
    on_true_tile: View = inp(SBUF, "P F", UNPACKED)
    on_false_value: float = attr(float, bir="fill_value")
    cmp_op: AluOp = attr(AluOp, AluOp.is_equal, bir="compare_op")
    offset: int = attr(int, 0, bir="base")

    def prepare(self, t: Target) -> None:
        """The pattern as tuples; one that is none is left for `check`."""
        with suppress(ValueError):
            self.pattern = normalise(self.pattern)

    def check(self, t: Target) -> Problems:
        yield from pattern_problems(
            self, self.pattern, t, offset=self.offset, channel_multiplier=self.channel_multiplier
        )
        if self.cmp_op not in COMPARISONS:
            yield problem(
                NKI2117, op=ALU[self.cmp_op].nki if self.cmp_op in ALU else self.cmp_op,
                inst=self.spec.label, allowed=", ".join(ALU[op].nki for op in COMPARISONS),
            )  # fmt: skip
        if not is_float32(self.on_false_value):
            yield problem(
                NKI2124, name="on_false_value", got=self.on_false_value, inst=self.spec.label,
                allowed="numbers that float32 can hold",
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Integers when both tiles have the same 32-bit integer dtype, float32 otherwise."""
        return Read.INT if self._exact() else Read.F32

    def sem(self, on_true_tile: Array) -> Array:
        stream = values(self.pattern, self.offset, self.channel_multiplier, len(on_true_tile))
        chosen = ALU[self.cmp_op].fn(stream, np.int32(0)) != 0
        fill = np.full((1, 1), self.on_false_value, np.float32)
        if self._exact():
            stored = from_f32(fill, self.dst.dtype)
            return np.where(chosen, on_true_tile.astype(stored.dtype), stored)
        return np.where(chosen, on_true_tile, fill)

    def _exact(self) -> bool:
        return self.dst.dtype in NATIVE_INTS and self.dst.dtype == self.on_true_tile.dtype


@instruction(
    "select_reduce", emit="select_reduce", bir="CopyPredicated", klr="SelectReduce",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class SelectReduce(Inst):
    """Choose between `on_true` and `on_false` per element, and optionally keep a running maximum.

    ``dst = where(predicate != 0, on_true, on_false)``; `reverse_pred` swaps the two cases. The
    predicate is an integer of 8 or 16 bits.
    `reduce_cmd` reset_reduce sets the vector engine's accumulators, one float32 per partition, to
    -inf first; it and reduce then take in the maximum of the chosen values (before they are rounded
    for `dst`). `reduce_res` receives the accumulators.

    Without `on_false` it is what BIR's CopyPredicated is with two inputs: a masked copy of bits
    with the rules of `TensorCopyPredicated`.

    Source: NKI ISA reference, select_reduce; BIR data model, CopyPredicated. Model: with
    ``reduce_cmd=idle`` the accumulators stay as they are; a device may change them (NKI6007).
    """

    dst: View = out(ON_CHIP, "P F")
    predicate: View = inp(ON_CHIP, "P F", read=Read.RAW)
    on_true: View | float = inp(ON_CHIP, "P F", number=True)
    on_false: View | float | None = inp(
        ON_CHIP, "P 1", UNPACKED, number=True, optional=True, read=Read.F32, given=Given.VALUE
    )
    reduce_res: View | None = out(ON_CHIP, "P 1", FLOATS, optional=True)
    reduce_cmd: ReduceCmd = attr(ReduceCmd, ReduceCmd.Idle, bir="accumulator_cmd")
    reduce_op: AluOp = attr(AluOp, AluOp.max)
    reverse_pred: bool = attr(bool, False)
    accumulators: Array = state()

    def check(self, t: Target) -> Problems:
        yield from both_psum_problems(self, "on_true", "predicate")
        if self.on_false is None:
            yield from masked_copy_problems(self, "on_true", t)
        else:
            yield from self._select_problems(t)
        if self.reduce_op is not AluOp.max:
            yield problem(
                NKI2117, op=ALU[self.reduce_op].nki if self.reduce_op in ALU else self.reduce_op,
                inst=self.spec.label, allowed=ALU[AluOp.max].nki,
            )  # fmt: skip
        yield from self._reduce_problems()

    def _select_problems(self, t: Target) -> Problems:
        label = self.spec.label
        if not isinstance(self.on_true, View):
            yield problem(NKI2121, operand="on_true", got=self.on_true, inst=label)
        for operand, allowed in (("on_true", SELECTED), ("predicate", SELECT_PREDICATES)):
            view = getattr(self, operand)
            if isinstance(view, View) and view.dtype not in allowed:
                yield problem(
                    NKI2106, operand=operand, got=view.dtype, inst=label, target=t.title,
                    allowed=names(allowed),
                )  # fmt: skip
        if self.dst.dtype in PACKED:
            yield problem(
                NKI2106, operand="dst", got=self.dst.dtype, inst=label, target=t.title,
                allowed=names(UNPACKED),
            )  # fmt: skip
        if not isinstance(self.on_false, View) and not is_float32(self.on_false):
            yield problem(
                NKI2124, name="on_false", got=self.on_false, inst=label,
                allowed="numbers that float32 can hold",
            )  # fmt: skip

    def _reduce_problems(self) -> Problems:
        command = _COMMANDS.get(self.reduce_cmd)
        if command is None:
            yield problem(
                NKI2124, name="reduce_cmd", got=self.reduce_cmd.nki, inst=self.spec.label,
                allowed=", ".join(_COMMANDS.values()),
            )  # fmt: skip
        elif self.reduce_cmd is ReduceCmd.Idle:
            if self.reduce_res is not None:
                yield problem(NKI2123, operand="reduce_res", when="when reduce_cmd is idle")
        elif self.on_false is None:
            yield problem(NKI2122, operand="on_false", when=f"when reduce_cmd is {command}")

    def read_mode(self) -> Read:
        """Bits for a masked copy of a tile, float32 otherwise."""
        copies = self.on_false is None and isinstance(self.on_true, View)
        return Read.RAW if copies else Read.F32

    def reads(self) -> Iterator[View]:
        """The inputs; and `dst` when some of it stays."""
        yield from Inst.reads(self)
        if self.on_false is None:
            yield self.dst

    def sem(
        self, predicate: Array, on_true: Array, on_false: Array | None, accumulators: Array
    ) -> tuple[Array | Masked, Array | None, Array]:
        mask = (predicate != 0) != self.reverse_pred
        if on_false is None:
            return masked(on_true, mask), None, accumulators
        chosen = np.where(mask, on_true, on_false).astype(np.float32)
        after = accumulators
        if self.reduce_cmd is not ReduceCmd.Idle:
            if self.reduce_cmd is ReduceCmd.ZeroAccumulate:
                after = np.full_like(accumulators, -np.inf)
            after = ALU[AluOp.max].fn(after, reduce(AluOp.max, chosen, axis=1, keepdims=True))
        return chosen, None if self.reduce_res is None else after, after


_COMMANDS: Final = {
    ReduceCmd.Idle: "idle",
    ReduceCmd.Accumulate: "reduce",
    ReduceCmd.ZeroAccumulate: "reset_reduce",
}


@instruction(
    "tensor_copy_predicated", emit="tensor_copy_predicated", bir="CopyPredicated",
    klr="CopyPredicated", engines=(Engine.DVE,), since=SUNDA, owner=False,
)  # fmt: skip
class TensorCopyPredicated(Inst):
    """Copy `src` to `dst` where `predicate` is not zero (where it is, with `reverse_pred`).

    Bits are moved; a number is rounded to the dtype of `dst`. The other elements of `dst` are not
    touched: `sem` returns a `Masked`. `dst` is an output that also counts in `reads`, because what
    it held before shows afterwards; the machine does not fetch it.

    Source: NKI ISA reference, tensor_copy_predicated.
    """

    indirect = ("dst", "predicate")

    dst: View = out(ON_CHIP, "P F")
    src: View | float = inp(ON_CHIP, "P F", number=True)
    predicate: View = inp(ON_CHIP, "P F", COPY_PREDICATES, read=Read.RAW)
    reverse_pred: bool = attr(bool, False)

    def check(self, t: Target) -> Problems:
        yield from both_psum_problems(self, "src", "predicate")
        yield from masked_copy_problems(self, "src", t)

    def read_mode(self) -> Read:
        """Bits of a tile; a number as float32."""
        return Read.RAW if isinstance(self.src, View) else Read.F32

    def reads(self) -> Iterator[View]:
        """The inputs, and `dst`, of which some stays."""
        yield from Inst.reads(self)
        yield self.dst

    def sem(self, src: Array, predicate: Array) -> Masked:
        return masked(src, (predicate != 0) != self.reverse_pred)


def masked(source: Array, mask: Array) -> Masked:
    """`source` (an array like `mask`, or a number) where `mask`."""
    return Masked(np.broadcast_to(source, mask.shape), mask)


def masked_copy_problems(inst: Inst, source: str, t: Target) -> Problems:
    """The predicate is unsigned, and the source a tile of the dtype of `dst` or a number for it."""
    dst: View = inst.dst  # type: ignore[attr-defined]  # both classes that copy have these
    predicate: View = inst.predicate  # type: ignore[attr-defined]
    value = getattr(inst, source)
    if predicate.dtype not in COPY_PREDICATES:
        yield problem(
            NKI2106, operand="predicate", got=predicate.dtype, inst=inst.spec.label, target=t.title,
            allowed=names(COPY_PREDICATES),
        )  # fmt: skip
    if not isinstance(value, View):
        if dst.dtype in PACKED or not is_float32(value):
            yield problem(NKI2121, operand=source, got=value, inst=inst.spec.label)
    elif value.dtype != dst.dtype:
        yield problem(
            NKI2116, first="dst", first_dtype=dst.dtype, second=source, second_dtype=value.dtype,
            inst=inst.spec.label,
        )  # fmt: skip
