"""Permutes: collectives in which a rank sends to one other, named or the next of a ring."""

from __future__ import annotations

from typing import Final

from opennki.base.codes import NKI2107, NKI2116, NKI2124, NKI2707
from opennki.base.diag import Problems, problem
from opennki.ir import HBM, Inst, Met, Place, View, attr, fixed_size, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .collective import (
    MEMORIES,
    SINCE,
    SUMMED,
    Collective,
    Groups,
    combined,
    group_problems,
    memory_problems,
    operator_problems,
    pair_problems,
    service_problems,
    shown_groups,
    what_is_wrong,
)
from .enums import AluOp, Engine

CHANNELS: Final = range(4)
"""Channels of a ring. Source: NKI collectives reference: at most 4."""


@instruction(
    emit="collective_permute", bir="CollectiveCompute", klr="CollectivePermute", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TiledCollectivePermuteOp(Collective):
    """Send `src` of each source rank into `dst` of its target rank.

    Operands are in HBM. A rank is the source of at most one pair, and the target of at most one.

    Source: NKI collectives reference, collective_permute. Bits are moved. Model: `dst` of a rank
    that is no target stays as it is.
    """

    src: View = inp(HBM, "...")
    dst: View = out(HBM, "...")
    source_target_pairs: Groups = attr(tuple, bir="src_target_pairs")
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        pairs = self.source_target_pairs
        why = ""
        if not pairs or any(len(pair) != 2 for pair in pairs):
            why = "pairs of a source and a target rank"
        elif any(len({pair[side] for pair in pairs}) < len(pairs) for side in (0, 1)):
            why = "pairs in which no rank is a source twice or a target twice"
        elif min(rank for pair in pairs for rank in pair) < 0:
            why = "pairs of ranks, which are not negative"
        if why:
            yield problem(
                NKI2124, name="source_target_pairs", got=shown_groups(pairs), allowed=why,
                inst=self.spec.label,
            )  # fmt: skip
        yield from pair_problems(self, self.dst, self.src, self.src.shape)
        yield from service_problems(self, self.priority)

    def groups(self) -> Groups:
        """The ranks of the pairs, which wait for each other."""
        return (tuple(sorted({rank for pair in self.source_target_pairs for rank in pair})),)

    def check_ranks(self, ranks: int) -> Problems:
        """Pairs name ranks of the launch."""
        largest = max(self.groups()[0])
        if largest >= ranks:
            yield problem(
                NKI2707, groups=shown_groups(self.source_target_pairs),
                why=what_is_wrong([largest], ranks),
            )  # fmt: skip

    def key(self) -> object:
        """The pairs."""
        return self.source_target_pairs

    def sem(self, me: Place, met: Met) -> tuple[Array | None]:
        rank, core = me
        source = next((s for s, target in self.source_target_pairs if target == rank), None)
        return (None if source is None else met[source, core][0],)


def ring_problems(inst: Inst, groups: Groups, channel: int) -> Problems:
    """Groups are rings, and the channel is one that rings have."""
    yield from group_problems(groups)
    if channel not in CHANNELS:
        yield problem(
            NKI2124, name="channel_id", got=channel, allowed="0, 1, 2, 3", inst=inst.spec.label,
        )  # fmt: skip


def predecessor(ranks: tuple[int, ...], rank: int) -> int:
    """The rank before `rank` in its ring."""
    return ranks[ranks.index(rank) - 1]


@instruction(
    emit="collective_permute_implicit", bir="CollectiveCompute", klr="CollectivePermuteImplicit",
    owner=False, engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class CollectivePermuteImplicitOp(Collective):
    """Send `src` to the next rank of the ring, and receive the previous rank's into `dst`.

    A call has one such instruction per channel. Operands are in HBM or SBUF.

    Source: NKI collectives reference, collective_permute_implicit. Bits are moved. Model: the ring
    goes through each group in its order, and the last rank sends to the first.
    """

    src: View = inp(MEMORIES, "...")
    dst: View = out(MEMORIES, "...")
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    channel_id: int = attr(int, 0)
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        yield from memory_problems(self)
        yield from ring_problems(self, self.replica_groups, self.channel_id)
        yield from pair_problems(self, self.dst, self.src, self.src.shape)
        yield from service_problems(self, self.priority)

    def key(self) -> object:
        """Ranks and channel."""
        return self.replica_groups, self.channel_id

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        rank, core = me
        received: Array = met[predecessor(self.ranks_with(rank), rank), core][0]
        return (received,)


@instruction(
    emit="collective_permute_implicit_reduce", bir="CollectiveCompute",
    klr="CollectivePermuteImplicitReduce", owner=False, engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TiledCollectivePermuteReduceOp(Collective):
    """Send ``op(src0, src1)`` to the next rank of the ring, and receive the previous rank's.

    Source: NKI collectives reference, collective_permute_implicit_reduce. Model: combined as
    in all_reduce, and rounded to the dtype of `dst`; the ring is that of
    collective_permute_implicit.
    """

    moves = False

    src0: View = inp(MEMORIES, "...", SUMMED)
    src1: View = inp(MEMORIES, "...", SUMMED)
    dst: View = out(MEMORIES, "...", SUMMED)
    op: AluOp = attr(AluOp, AluOp.add, bir="cc_channel")
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    channel_id: int = attr(int, 0)
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        yield from memory_problems(self)
        yield from ring_problems(self, self.replica_groups, self.channel_id)
        if self.src1.dtype != self.src0.dtype:
            yield problem(
                NKI2116, first="src1", first_dtype=self.src1.dtype, second="src0",
                second_dtype=self.src0.dtype, inst=self.spec.label,
            )  # fmt: skip
        if self.src1.shape != self.src0.shape:
            facts = fixed_size("src1", self.src1.shape, self.src0.shape)
            yield problem(NKI2107, inst=self.spec.label, **facts)
        yield from pair_problems(self, self.dst, self.src0, self.src0.shape)
        yield from operator_problems(self, self.op)
        yield from service_problems(self, self.priority)

    def key(self) -> object:
        """Ranks, channel and operator."""
        return self.replica_groups, self.channel_id, self.op

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        rank, core = me
        src0, src1 = met[predecessor(self.ranks_with(rank), rank), core]
        return (combined(self.op, [src0, src1]),)
