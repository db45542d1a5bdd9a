"""Where segments of a row of ids begin and end."""

from __future__ import annotations

from typing import Final

import numpy as np

from opennki.base.codes import NKI2107, NKI6011
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import float32, int32
from opennki.ir import SBUF, Inst, Read, View, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.ir.shapes import fixed_size
from opennki.target import SUNDA, Target

from .enums import Engine

NUMBERS: Final = frozenset({float32, int32})


@instruction(
    "sequence_bounds", emit="sequence_bounds", bir="GetSequenceBounds", klr="SequenceBounds",
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class GetSequenceBounds(Inst):
    """First and last element of the segment of each of n ids: ``dst[0, 0]`` and ``dst[0, 1]``.

    `segment_ids` is (1, n) and `dst` (1, 2, n). A segment is a run of equal ids. ``dst[0, 0, k]``
    is the index of the first element of the run that element k belongs to, ``dst[0, 1, k]`` is one
    more than that of its last. Where the id is 0, which is padding, they are n and -1. Ids are
    whole numbers that are not negative; the simulator warns of others with NKI6011.

    Source: NKI ISA reference, sequence_bounds. Model: ids are compared in their own dtype, whatever
    they are; `dst` may also be the same in another shape, (1, 2n) or (1, 2, ...).
    """

    dst: View = out(SBUF, "1 *", NUMBERS)
    segment_ids: View = inp(SBUF, "1 *", NUMBERS)

    def check(self, t: Target) -> Problems:
        n = self.segment_ids.free_size
        shape = self.dst.shape
        flat = len(shape) == 2
        if self.dst.free_size != 2 * n or not (flat or shape[1] == 2):
            yield problem(
                NKI2107, inst=self.spec.label, **fixed_size("dst", shape, (1, 2, n)),
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Ids as they are: float32 does not have every integer."""
        return Read.RAW

    def watch(self, segment_ids: Array) -> Problems:
        """Ids that are negative, not whole, or no numbers."""
        ids = segment_ids.ravel()
        wrong = np.flatnonzero(~((ids >= 0) & (ids == np.trunc(ids)) & np.isfinite(ids)))
        if wrong.size:
            first = int(wrong[0])
            yield problem(
                NKI6011, operand="segment_ids", count=int(wrong.size), index=first,
                value=ids[first].item(), inst=self.spec.label,
            )  # fmt: skip

    def sem(self, segment_ids: Array) -> Array:
        ids = segment_ids.ravel()
        n = len(ids)
        changes = np.flatnonzero(ids[1:] != ids[:-1]) + 1
        edges = np.concatenate(([0], changes, [n]))
        lengths = np.diff(edges)
        padding = ids == 0
        first = np.where(padding, n, np.repeat(edges[:-1], lengths))
        last = np.where(padding, -1, np.repeat(edges[1:], lengths))
        return np.concatenate((first, last))[None].astype(np.int32)
