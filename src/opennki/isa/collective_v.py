"""Collectives of variable length: how much each rank sends is known when they run only.

Tensors are flat buffers of elements. A table of uint32, one column per rank of the group, says how
many elements go to a rank (row 0) and where in `src` they begin (row 1), and is told how many came
from it (row 2); where in `dst` they go is in row 3, or follows from equal slots, one per sender.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import numpy as np

from opennki.base.codes import NKI2107, NKI2116, NKI2709, NKI6024
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import uint32
from opennki.ir import (
    HBM,
    Masked,
    Met,
    Place,
    Read,
    View,
    attr,
    fixed_size,
    inout,
    inp,
    instruction,
    out,
    row_major,
)  # fmt: skip
from opennki.ir.scalar import Array
from opennki.target import COREV4, SUNDA, Target

from .collective import MEMORIES, SINCE, Collective, Groups, group_problems, service_problems
from .cores import launch_problems
from .enums import Engine

DEVICE: Final = 4
"""Ranks of one device, with two cores in each. Source: NKI collectives reference."""

_COUNTS, _STARTS, _RECEIVED, _PLACES = range(4)


class Variable(Collective):
    """What collectives of variable length have in common."""

    __slots__ = ()
    uniform: ClassVar[bool] = False
    """Whether a rank sends one chunk to all, told by the first column."""

    src: View
    dst: View
    metadata: View
    replica_groups: Groups
    recv_counts_known: bool
    has_rdispls: bool
    priority: int | None

    def common_problems(self) -> Problems:
        """Rules that all of them have."""
        if self.dst.dtype != self.src.dtype:
            yield problem(
                NKI2116, first="dst", first_dtype=self.dst.dtype, second="src",
                second_dtype=self.src.dtype, inst=self.spec.label,
            )  # fmt: skip
        yield from service_problems(self, self.priority)
        wrong = list(group_problems(self.replica_groups))
        yield from wrong
        if wrong:
            return
        size = len(self.replica_groups[0])
        table = (4 if self.has_rdispls else 3, size)
        want = (1, *table) if self.metadata.space.on_chip else table
        if self.metadata.shape != want:
            facts = fixed_size("metadata", self.metadata.shape, want)
            yield problem(NKI2107, inst=self.spec.label, **facts)
        elif not _is_contiguous(self.metadata):
            yield self.refused("its table is not contiguous in memory")
        if not self.has_rdispls and self.dst.size % size:
            yield self.refused(
                f"dst has {self.dst.size} elements, not equal slots for {size} ranks"
            )

    def refused(self, why: str) -> Any:
        """The problem that the collective is not possible."""
        return problem(NKI2709, inst=self.spec.label, why=why)

    def windows(self, operand: str) -> list[View] | None:
        """Of the table the rows that are read; in the first two perhaps one column only."""
        if operand != "metadata":
            return None
        view = self.metadata
        (*first, _, columns), step = view.shape, view.strides[-2]
        rows = [
            (_COUNTS, 1 if self.uniform else columns),
            (_STARTS, 1 if self.uniform else columns),
        ]
        if self.has_rdispls:
            rows.append((_PLACES, columns))
        return [
            View(
                view.tensor, view.offset + row * step, (*first, 1, count), view.strides, view.dtype
            )
            for row, count in rows
        ]

    def chunks(self, me: Place, met: Met) -> Iterator[tuple[int, int, int, int, Array]]:
        """What arrives: sender, its start and count, where it goes in `dst`, and its `src`."""
        rank, core = me
        ranks = self.ranks_with(rank)
        own = met[me][1].reshape(-1, len(ranks))
        column = 0 if self.uniform else ranks.index(rank)
        for sender, other in enumerate(ranks):
            src, table = met[other, core]
            table = table.reshape(-1, len(ranks))
            start, count = int(table[_STARTS, column]), int(table[_COUNTS, column])
            slot = self.dst.size // len(ranks)
            place = int(own[_PLACES, sender]) if self.has_rdispls else sender * slot
            yield sender, start, count, place, src.reshape(-1)

    def room(self, place: int) -> int:
        """Elements of `dst` that a chunk at `place` may fill."""
        slot = self.dst.size // len(self.replica_groups[0])
        return max(0, self.dst.size - place) if self.has_rdispls else slot

    def watch(self, *operands: Any) -> Problems:
        """Chunks that stick out of `src`, or do not fit where they go, are cut.

        Args: operands, the place and what met, as for `sem`.
        """
        for sender, start, count, place, src in self.chunks(*operands):
            for name, have in (("src", max(0, len(src) - start)), ("dst", self.room(place))):
                if count > have:
                    yield problem(
                        NKI6024, inst=self.spec.label, sender=sender, count=count, have=have,
                        where=name,
                    )  # fmt: skip

    def sem(self, me: Place, met: Met) -> tuple[Masked, Masked | None]:
        """What comes into `dst`, and the counts that come into the table."""
        values = np.zeros(self.dst.size, met[me][0].dtype)
        written = np.zeros(self.dst.size, np.bool_)
        table = met[me][1].copy()
        received = table.reshape(-1, len(self.replica_groups[0]))
        for sender, start, count, place, src in self.chunks(me, met):
            chunk = src[start : start + count][: self.room(place)]
            values[place : place + len(chunk)] = chunk
            written[place : place + len(chunk)] = True
            received[_RECEIVED, sender] = count
        counts = None
        if not self.recv_counts_known:
            rows = np.zeros(received.shape, np.bool_)
            rows[_RECEIVED] = True
            counts = Masked(table, rows.reshape(table.shape))
        return Masked(values, written), counts


def _is_contiguous(view: View) -> bool:
    """Whether elements follow each other in memory."""
    pairs = zip(view.dims, row_major(view.shape), strict=True)
    return all(count == 1 or step == dense for (step, count), dense in pairs)


@instruction(
    emit="all_gather_v", bir="CollectiveCompute", klr="AllGatherV", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class AllGatherVOp(Variable):
    """Give every rank of the group one chunk of each rank's `src`, in the sender's slot of `dst`.

    Only the first column of rows 0 and 1 of `metadata` is read: the chunk is the same for all. Row
    2 is written unless `recv_counts_known`. There are as many equal slots as ranks.

    Source: NKI collectives reference, all_gather_v: groups have 4 ranks with two cores each, and
    `has_rdispls` is not supported. Model: what does not fit is cut, with a warning, and elements of
    `dst` that nothing comes into stay as they are.
    """

    uniform = True

    src: View = inp(HBM, "...")
    dst: View = out(HBM, "...")
    metadata: View = inout(MEMORIES, "...", frozenset({uint32}), read=Read.INT)
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    recv_counts_known: bool = attr(bool, False, bir="opennki_recv_counts_known")
    has_rdispls: bool = attr(bool, False, bir="opennki_has_rdispls")
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        yield from self.common_problems()
        if self.has_rdispls:
            yield self.refused("has_rdispls=True is not supported")
        if any(len(group) != DEVICE for group in self.replica_groups):
            yield self.refused(f"groups have {DEVICE} ranks, those of one device")

    def check_launch(self, core: int, cores: int) -> Problems:
        """Ranks have two cores."""
        return launch_problems(self, cores)


@instruction(
    emit="all_to_all_v", bir="CollectiveCompute", klr="AllToAllV", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class AllToAllVOp(Variable):
    """Give each rank of the group its chunk of every rank's `src`.

    Column r of rows 0 and 1 of `metadata` is about the chunk for rank r of the group. Row 2 is
    written unless `recv_counts_known`. With `has_rdispls`, row 3 says where in `dst` what comes
    from a rank begins; otherwise there are as many equal slots as ranks.

    Source: NKI collectives reference, all_to_all_v. Where a switch connects devices (gen4), ranks
    have two cores, there is more than one device, and groups are made of whole devices of 4 ranks
    in sequence; only there is `has_rdispls` supported. Elsewhere groups lie across nodes, which a
    simulated launch does not have, so any will do. Model: as all_gather_v for what does not fit.
    """

    src: View = inp(HBM, "...")
    dst: View = out(HBM, "...")
    metadata: View = inout(MEMORIES, "...", frozenset({uint32}), read=Read.INT)
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    recv_counts_known: bool = attr(bool, False, bir="opennki_recv_counts_known")
    has_rdispls: bool = attr(bool, False, bir="opennki_has_rdispls", since={True: COREV4})
    priority: int | None = attr(int, None, optional=True, since=SINCE)
    switched: bool = attr(bool, False, bir="", surface=False)

    def prepare(self, t: Target) -> None:
        """Remember whether a switch connects the devices."""
        self.switched = t.has("neuron_switch")

    def check(self, t: Target) -> Problems:
        yield from self.common_problems()
        if not self.switched:
            return
        for group in self.replica_groups:
            first = group[0] if group else 0
            if len(group) % DEVICE or group != tuple(range(first, first + len(group))):
                yield self.refused(f"groups are devices of {DEVICE} ranks in sequence")
                return
        if sum(map(len, self.replica_groups)) <= DEVICE:
            yield self.refused("it needs more than one device")

    def check_launch(self, core: int, cores: int) -> Problems:
        """Ranks have two cores where a switch connects them."""
        if self.switched:
            yield from launch_problems(self, cores)
