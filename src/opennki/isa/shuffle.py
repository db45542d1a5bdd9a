"""Copies between partitions of one group of 32, where lanes of the vector engine exchange data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from opennki.base.codes import NKI2112, NKI2116, NKI2124, NKI2215
from opennki.base.diag import Problems, problem
from opennki.ir import ON_CHIP, Inst, Masked, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.ir.shapes import allowed_starts, start_allowed
from opennki.target import SUNDA, Target

from .enums import Engine

GROUP: Final = 32
"""Partitions among which lanes exchange data."""

KEEP: Final = 255
"""Entry of a shuffle mask that leaves a partition of the destination as it is."""


@instruction(
    "nc_stream_shuffle", emit="stream_shuffle", bir="StreamShuffle", klr="Shuffle",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class StreamShuffleInst(Inst):
    """Copy partitions to others of the same group: ``dst[g + i] = src[g + shuffle_mask[i]]``.

    Groups of 32 partitions (g = 0, 32, 64, 96, counted from where each view starts) are shuffled
    apart from each other with the same mask. It has 32 entries: 0 to 31, or 255 for a partition of
    `dst` that stays as it is. Bits are moved; `dst` may be `src`. `src` may have fewer or more
    partitions than `dst`; the larger number, rounded up to whole groups, decides where both may
    start.

    Source: NKI ISA reference, nc_stream_shuffle. Model: partitions beyond the view `dst` are not
    written, and entries for them may be anything; those beyond the view `src` are not read.
    """

    dst: View = out(ON_CHIP, "* F")
    src: View = inp(ON_CHIP, "* F")
    shuffle_mask: tuple[int, ...] = attr(tuple, bir="mask")

    def prepare(self, t: Target) -> None:
        """The mask as a tuple; one that is none is left for `check`."""
        if isinstance(self.shuffle_mask, list):
            self.shuffle_mask = tuple(self.shuffle_mask)

    def check(self, t: Target) -> Problems:
        if self.dst.dtype != self.src.dtype:
            yield problem(
                NKI2116, first="dst", first_dtype=self.dst.dtype, second="src",
                second_dtype=self.src.dtype, inst=self.spec.label,
            )  # fmt: skip
        yield from self._start_problems()
        if _is_mask(self.shuffle_mask):
            yield from self._source_problems()
        else:
            yield problem(
                NKI2124, name="shuffle_mask", got=self.shuffle_mask, inst=self.spec.label,
                allowed=f"{GROUP} integers, each from 0 to {GROUP - 1} or {KEEP}",
            )  # fmt: skip

    def _start_problems(self) -> Problems:
        """Both views start where one of as many partitions as are active may."""
        larger = max(self.dst.partitions, self.src.partitions)
        active = -(-larger // GROUP) * GROUP
        for name, view in (("dst", self.dst), ("src", self.src)):
            start = view.start_partition + view.tensor.start_partition
            if not start_allowed(start, active):
                yield problem(
                    NKI2112, operand=name, start=start, count=active,
                    allowed=allowed_starts(active),
                )  # fmt: skip

    def _source_problems(self) -> Problems:
        """Every partition that is copied is one of `src`; the first that is not is reported."""
        have = self.src.partitions
        for to, source in enumerate(self.sources()):
            if source >= have:
                yield problem(
                    NKI2215, operand="src", to=to, source=source, got=have, inst=self.spec.label,
                )  # fmt: skip
                return

    def sources(self) -> list[int]:
        """Which partition of `src` goes to each of `dst`; -1 where `dst` keeps what it has."""
        chosen = [(p, self.shuffle_mask[p % GROUP]) for p in range(self.dst.partitions)]
        return [-1 if entry == KEEP else p - p % GROUP + entry for p, entry in chosen]

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def reads(self) -> Iterator[View]:
        """The source; and `dst` when some of it stays."""
        yield self.src
        if -1 in self.sources():
            yield self.dst

    def sem(self, src: Array) -> Array | Masked:
        sources = np.array(self.sources())
        copied = sources >= 0
        values: Array = src[np.where(copied, sources, 0)]
        if copied.all():
            return values
        return Masked(values, np.broadcast_to(copied[:, None], values.shape))


def _is_mask(mask: object) -> bool:
    """Whether `mask` has an entry for each partition of a group, and only ones that mean something.

    An entry of another kind is reported where the call is made.
    """
    return (
        isinstance(mask, tuple)
        and len(mask) == GROUP
        and all(type(entry) is int and (0 <= entry < GROUP or entry == KEEP) for entry in mask)
    )
