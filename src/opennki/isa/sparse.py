"""Which elements are not zero, and which are the largest: what GpSimd's cores list."""

from __future__ import annotations

from typing import Final

import numpy as np

from opennki.base.codes import NKI2104, NKI2107, NKI2124, NKI2605
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import bfloat16, float32, int32, uint32
from opennki.ir import SBUF, Inst, Masked, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.ir.shapes import fixed_size
from opennki.target import CAYMAN, SUNDA, Target

from .enums import Engine
from .gather import GROUP, group_problems

_INT32: Final = np.iinfo(np.int32)

FEWEST: Final = 8
"""Elements that topk needs at least. Source: NKI ISA reference, topk."""


@instruction(
    "nonzero_with_count", emit="nonzero_with_count", bir="NonzeroWithCount",
    klr="NonzeroWithCount", engines=(Engine.POOL,), since=CAYMAN,
)  # fmt: skip
class NonzeroWithCount(Inst):
    """Positions of the nonzero elements of every 16th partition, then their number.

    With T elements per partition in `src`, `dst` has T + 1. Partition 0, 16, 32, ... of `dst`, as
    counted from where the view starts, receives the positions of the N elements of the same
    partition of `src` that are not zero, ascending, each plus `index_offset`; then `padding_val`
    up to element T - 1; and N as element T. Other partitions of `src` are not read, and those of
    `dst` stay as they are, with the place for the number among them.

    Source: NKI ISA reference, nonzero_with_count. Model: zeros of both signs are zero, a NaN is
    not; positions wrap around in int32; any number of partitions will do, of which 0 is read.
    """

    dst: View = out(SBUF, "P *", frozenset({int32}))
    src: View = inp(SBUF, "P *", frozenset({float32, int32}))
    index_offset: int = attr(int, 0, bir="")
    padding_val: int = attr(int, -1, bir="")

    def check(self, t: Target) -> Problems:
        partitions, length = self.src.partitions, self.src.free_size
        if self.dst.free_size != length + 1:
            facts = fixed_size("dst", self.dst.shape, (partitions, length + 1))
            yield problem(NKI2107, inst=self.spec.label, **facts)
        for name in ("index_offset", "padding_val"):
            value = getattr(self, name)
            if value.__class__ is not int or not _INT32.min <= value <= _INT32.max:
                yield problem(NKI2605, name=name, got=value)

    def read_mode(self) -> Read:
        """Elements as they are: float32 does not have every integer."""
        return Read.RAW

    def examined(self, name: str, src: Array) -> Array:
        """Every 16th partition."""
        return np.broadcast_to(np.arange(len(src))[:, None] % GROUP == 0, src.shape)

    def sem(self, src: Array) -> Masked:
        found = src[::GROUP] != 0
        rows, columns = np.nonzero(found)
        listed = np.full((len(found), src.shape[1] + 1), self.padding_val, np.int64)
        listed[rows, (found.cumsum(axis=1) - 1)[found]] = columns + self.index_offset
        listed[:, -1] = found.sum(axis=1)
        values: Array = np.zeros((len(src), listed.shape[1]), np.int32)
        values[::GROUP] = listed.astype(np.int32)
        written = np.arange(len(src))[:, None] % GROUP == 0
        return Masked(values, np.broadcast_to(written, values.shape))


@instruction(
    "topk", emit="topk", bir="CustomOp", klr="Topk", engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TopK(Inst):
    """The K largest of the n elements of each 16 partitions, ascending, and where they are.

    K is the number of elements per partition of `val_dst` and `idx_dst`. Partitions form groups of
    16 from where the views start. Element k of a group is ``src[g + k % 16, k // 16]`` for the
    group that starts at g; those from `n` on do not count. Every partition of the group receives
    the same K values, and the same indices k, in ascending order of the values.

    Source: NKI ISA reference, topk. Model: "each partition operates independently" and a source of
    16 partitions are both true if all 16 receive the result; of equal values the one with the
    smaller index is taken first and stands after the others, so that the largest of all comes
    last; a NaN is below every number. BIR has no opcode for it: it is written as the custom
    operation "topk", with n as an operand.
    """

    val_dst: View = out(SBUF, "P K", frozenset({bfloat16}), K="topk_max")
    idx_dst: View = out(SBUF, "P K", frozenset({uint32}))
    src: View = inp(SBUF, "P *", frozenset({bfloat16}))
    n: int = attr(int, bir="")

    def check(self, t: Target) -> Problems:
        yield from group_problems(self, self.val_dst, "val_dst")
        most = min(self.src.free_size * GROUP, t.topk_source_max)
        if not FEWEST <= self.n <= most:
            yield problem(
                NKI2124, name="n", got=self.n, inst=self.spec.label,
                allowed=f"{FEWEST} to {most}, which 16 partitions of `src` hold",
            )  # fmt: skip
        elif self.val_dst.free_size > self.n:
            yield problem(
                NKI2104, operand="val_dst", dim="K", got=self.val_dst.free_size, limit=self.n,
                inst=f"{self.spec.label} with n = {self.n}", target=t.title,
            )  # fmt: skip

    def examined(self, name: str, src: Array) -> Array:
        """The first n elements of each group."""
        mask = self.n > np.arange(src.shape[1] * GROUP).reshape(-1, GROUP).T
        return np.tile(mask, (len(src) // GROUP, 1))

    def sem(self, src: Array) -> tuple[Array, Array]:
        groups = src.reshape(-1, GROUP, src.shape[1]).swapaxes(1, 2)
        elements = groups.reshape(len(groups), -1)[:, : self.n]
        order = np.argsort(-elements, axis=1, kind="stable")  # NaN is last
        chosen = order[:, : self.val_dst.free_size][:, ::-1]
        values = np.take_along_axis(elements, chosen, axis=1)
        indices = chosen.astype(np.uint32)
        return np.repeat(values, GROUP, axis=0), np.repeat(indices, GROUP, axis=0)
