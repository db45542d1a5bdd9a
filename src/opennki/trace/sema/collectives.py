"""The calls of `nki.collectives`: lists of tensors become one instruction for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opennki.base.codes import NKI1007, NKI2705, NKI2708
from opennki.ir import Inst
from opennki.isa.collective import (
    TiledAllGatherOp,
    TiledAllReduceOp,
    TiledAlltoAllOp,
    TiledReduceScatterOp,
)
from opennki.isa.collective_v import AllGatherVOp, AllToAllVOp
from opennki.isa.permute import (
    CHANNELS,
    CollectivePermuteImplicitOp,
    TiledCollectivePermuteOp,
    TiledCollectivePermuteReduceOp,
)
from opennki.isa.rank_ids import GetCurProcessingRankId, GetGlobalRankId
from opennki.trace.context import TraceContext
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.objects import NKIObject
from opennki.trace.plain import plain_int, shown
from opennki.trace.registers import VirtualRegister
from opennki.trace.values import NkiTensor

from .bind import bind
from .marks import nki_function


class ReplicaGroup(NKIObject):
    """Groups of ranks, each of which works on a collective of its own.

    Args: replica_groups, a list of lists of ranks. No rank is in two of them; each rank of the
        launch is in one, and all have the same size. The order of a list is that of its ranks'
        parts, and that of the ring.
    Raises: NKI1007 for anything else than lists of integers.
    """

    def __init__(self, replica_groups: Sequence[Sequence[int]]) -> None:
        groups = replica_groups
        wanted = isinstance(groups, list | tuple) and all(
            isinstance(group, list | tuple) and all(plain_int(rank) is not None for rank in group)
            for group in groups
        )
        if not wanted:
            raise fault(
                NKI1007, name="replica_groups", fn="nki.collectives.ReplicaGroup",
                expected="a list of lists of integers", got=shown(groups),
            )  # fmt: skip
        self.replica_groups = [[int(rank) for rank in group] for group in groups]

    def __repr__(self) -> str:
        return f"ReplicaGroup({self.replica_groups})"


@nki_function()
def all_reduce(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    replica_group: ReplicaGroup,
    op: Any,
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Combine each of `srcs` over the ranks of a group, and give all of them the result.

    Args: srcs and dsts, lists of equally many tensors, all in HBM or, if there is one, in SBUF;
        replica_group, a `ReplicaGroup`; op, nl.add, nl.minimum or nl.maximum; priority, class of
        service from 0, the first, to 3, on gen4; name of the instruction.
    Raises: NKI2705 for lists of different lengths, and for several tensors in SBUF.
    """
    call = _Call("all_reduce", TiledAllReduceOp)
    groups = call.groups(replica_group)
    for src, dst in call.pairs(srcs, dsts):
        call.emit((src, dst, op, groups, priority), name)


@nki_function()
def all_gather(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    replica_group: ReplicaGroup,
    collective_dim: int,
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Give every rank of a group all their `srcs`, one behind the other.

    Args: as all_reduce; collective_dim, the dimension along which they follow each other: 0, or
        in SBUF, where tensors are tiles of two dimensions, 0 or 1.
    Raises: as all_reduce.
    """
    call = _Call("all_gather", TiledAllGatherOp)
    groups = call.groups(replica_group)
    for src, dst in call.pairs(srcs, dsts):
        call.emit((src, dst, groups, call.dim(collective_dim), priority), name)


@nki_function()
def reduce_scatter(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    replica_group: ReplicaGroup,
    collective_dim: int,
    op: Any,
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Combine each of `srcs` over the ranks of a group, and give each rank its part.

    Args: as all_reduce; collective_dim, the dimension that is split: 0.
    Raises: as all_reduce.
    """
    call = _Call("reduce_scatter", TiledReduceScatterOp)
    groups = call.groups(replica_group)
    for src, dst in call.pairs(srcs, dsts):
        call.emit((src, dst, op, groups, call.dim(collective_dim), priority), name)


@nki_function()
def all_to_all(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    replica_group: ReplicaGroup,
    collective_dim: int,
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Give each rank of a group its part of every rank's `srcs`.

    Args: as all_reduce, in HBM; collective_dim, the dimension that is split and joined: 0.
    Raises: as all_reduce.
    """
    call = _Call("all_to_all", TiledAlltoAllOp)
    groups = call.groups(replica_group)
    for src, dst in call.pairs(srcs, dsts):
        call.emit((src, dst, groups, call.dim(collective_dim), priority), name)


@nki_function()
def all_gather_v(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    replica_group: ReplicaGroup,
    metadata_tensor: NkiTensor,
    recv_counts_known: bool = False,
    has_rdispls: bool = False,
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Give every rank of a group one chunk of each rank's tensor, in the sender's slot.

    Args: srcs and dsts, lists of one tensor in HBM; replica_group, with groups of 4 ranks;
        metadata_tensor, uint32, (3, ranks) in HBM or (1, 3, ranks) in SBUF: in the first column
        how many elements the rank sends (row 0) and where in its tensor they begin (row 1);
        recv_counts_known, leave row 2 as it is instead of writing how many came from each rank;
        has_rdispls, which is not supported; priority and name, as all_reduce.
    Raises: NKI2705 for another number of tensors.
    """
    _variable(
        _Call("all_gather_v", AllGatherVOp), srcs, dsts, replica_group,
        (metadata_tensor, recv_counts_known, has_rdispls, priority, name),
    )  # fmt: skip


@nki_function()
def all_to_all_v(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    replica_group: ReplicaGroup,
    metadata_tensor: NkiTensor,
    recv_counts_known: bool = False,
    has_rdispls: bool = False,
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Give each rank of a group its chunk of every rank's tensor.

    Args: as all_gather_v, but with a column for each rank of the group that is sent to;
        has_rdispls, metadata_tensor has a row 3, which says where what comes from a rank begins.
    Raises: as all_gather_v.
    """
    _variable(
        _Call("all_to_all_v", AllToAllVOp), srcs, dsts, replica_group,
        (metadata_tensor, recv_counts_known, has_rdispls, priority, name),
    )  # fmt: skip


def _variable(
    call: _Call, srcs: object, dsts: object, replica_group: object, rest: tuple[object, ...]
) -> None:
    """A collective of variable length; `rest`, its other arguments in order."""
    metadata, known, displaced, priority, name = rest
    src, dst = call.one("srcs", srcs), call.one("dsts", dsts)
    groups = call.groups(replica_group)
    call.emit((src, dst, metadata, groups, known, displaced, priority), name)


@nki_function()
def collective_permute(
    srcs: Sequence[NkiTensor],
    dsts: Sequence[NkiTensor],
    source_target_pairs: Sequence[tuple[int, int]],
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Send the tensor of `srcs` of each source rank into that of `dsts` of its target rank.

    Args: srcs and dsts, lists of one tensor in HBM; source_target_pairs, a list of pairs of ranks;
        priority and name, as all_reduce.
    Raises: NKI2705 for another number of tensors.
    """
    call = _Call("collective_permute", TiledCollectivePermuteOp)
    src, dst = call.one("srcs", srcs), call.one("dsts", dsts)
    call.emit((src, dst, source_target_pairs, priority), name)


@nki_function()
def collective_permute_implicit(
    srcs_by_channel: Sequence[Sequence[NkiTensor]],
    dsts_by_channel: Sequence[Sequence[NkiTensor]],
    replica_group: ReplicaGroup,
    channel_ids: Sequence[int] = (0,),
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Send to the next rank of a ring and receive from the previous one, on every channel.

    Args: srcs_by_channel and dsts_by_channel, for each channel a list of one tensor, in HBM or
        SBUF; replica_group, whose groups are the rings; channel_ids, [0, 1, ...], one per channel;
        priority and name, as all_reduce.
    Raises: NKI2705 for another number of tensors, NKI2708 for other channels.
    """
    call = _Call("collective_permute_implicit", CollectivePermuteImplicitOp)
    groups = call.groups(replica_group)
    channels = call.channels(channel_ids)
    srcs = call.by_channel("srcs_by_channel", srcs_by_channel, channels)
    dsts = call.by_channel("dsts_by_channel", dsts_by_channel, channels)
    for channel, src, dst in zip(channels, srcs, dsts, strict=True):
        call.emit((src, dst, groups, channel, priority), name)


@nki_function()
def collective_permute_implicit_reduce(
    srcs0_by_channel: Sequence[Sequence[NkiTensor]],
    srcs1_by_channel: Sequence[Sequence[NkiTensor]],
    dsts_by_channel: Sequence[Sequence[NkiTensor]],
    replica_group: ReplicaGroup,
    op: Any,
    channel_ids: Sequence[int] = (0,),
    priority: int | None = None,
    name: str | None = None,
) -> None:
    """Send ``op(src0, src1)`` to the next rank of a ring and receive the previous one's.

    Args: srcs0_by_channel, srcs1_by_channel and dsts_by_channel, for each channel a list of one
        tensor; op, nl.add, nl.minimum or nl.maximum; the others, as collective_permute_implicit.
    Raises: as collective_permute_implicit.
    """
    call = _Call("collective_permute_implicit_reduce", TiledCollectivePermuteReduceOp)
    groups = call.groups(replica_group)
    channels = call.channels(channel_ids)
    srcs0 = call.by_channel("srcs0_by_channel", srcs0_by_channel, channels)
    srcs1 = call.by_channel("srcs1_by_channel", srcs1_by_channel, channels)
    dsts = call.by_channel("dsts_by_channel", dsts_by_channel, channels)
    for channel, src0, src1, dst in zip(channels, srcs0, srcs1, dsts, strict=True):
        call.emit((src0, src1, dst, op, groups, channel, priority), name)


@nki_function()
def rank_id(name: str | None = None) -> VirtualRegister:
    """A register that holds the rank of the launch that runs the kernel.

    Args: name of the instruction. Source: NKI collectives reference, rank_id.
    """
    call = _Call("rank_id", GetGlobalRankId)
    made = call.ctx.new_register("rank")
    call.emit((made,), name)
    return made


@nki_function()
def collective_permute_implicit_current_processing_rank_id(
    iteration_id: int, replica_group: ReplicaGroup, channel_id: int = 0, name: str | None = None
) -> VirtualRegister:
    """A register that holds the rank whose data a ring has brought after `iteration_id` steps.

    Args: iteration_id, 0 for the data of the rank itself; replica_group, a `ReplicaGroup`, whose
        groups are the rings; channel_id, 0 to 3; name of the instruction.
    Source: NKI collectives reference.
    """
    fn = "collective_permute_implicit_current_processing_rank_id"
    call = _Call(fn, GetCurProcessingRankId)
    made = call.ctx.new_register("rank")
    call.emit((made, iteration_id, call.groups(replica_group), channel_id), name)
    return made


class _Call:
    """One call: checks of what instructions cannot say, and their making."""

    def __init__(self, name: str, cls: type[Inst]) -> None:
        self.fn = f"nki.collectives.{name}"
        self.cls = cls
        self.ctx: TraceContext = nki_ctx(self.fn)
        self.count = 0

    def emit(self, values: tuple[Any, ...], name: Any) -> None:
        """Check and append one instruction; the second one of a call has ``.1`` after its name.

        Args: values, of the fields that a call can give, in their order.
        """
        if self.count and isinstance(name, str):
            name = f"{name}.{self.count}"
        self.count += 1
        hidden = tuple(a.default for a in self.cls.spec.attrs if not a.surface)
        bind(self.ctx, self.cls, (*values, *hidden), None, name)

    def groups(self, given: Any) -> list[list[int]]:
        """The lists of ranks of a `ReplicaGroup`."""
        if not isinstance(given, ReplicaGroup):
            raise self._wrong("replica_group", "a nki.collectives.ReplicaGroup", given)
        return given.replica_groups

    def dim(self, given: Any) -> int:
        """A dimension, which must be given."""
        found = plain_int(given)
        if found is None:
            raise self._wrong("collective_dim", "an integer", given)
        return found

    def tensors(self, name: str, given: Any) -> list[NkiTensor]:
        """A list of tensors."""
        if not isinstance(given, list | tuple) or not all(isinstance(t, NkiTensor) for t in given):
            raise self._wrong(name, "a list of tensors", given)
        return list(given)

    def pairs(self, srcs: Any, dsts: Any) -> list[tuple[NkiTensor, NkiTensor]]:
        """Sources and their destinations: as many, and only one in SBUF."""
        sources, targets = self.tensors("srcs", srcs), self.tensors("dsts", dsts)
        if not sources:
            raise self.ctx.refusal(NKI2705, name="srcs", fn=self.fn, got=0, want="at least one")
        if len(targets) != len(sources):
            want = f"as many as `srcs` has, which is {len(sources)}"
            raise self.ctx.refusal(NKI2705, name="dsts", fn=self.fn, got=len(targets), want=want)
        if len(sources) > 1 and any(t.tensor.space.on_chip for t in (*sources, *targets)):
            want = "one where tensors are in SBUF"
            raise self.ctx.refusal(NKI2705, name="srcs", fn=self.fn, got=len(sources), want=want)
        return list(zip(sources, targets, strict=True))

    def one(self, name: str, given: Any) -> NkiTensor:
        """The only tensor of a list."""
        found = self.tensors(name, given)
        if len(found) != 1:
            raise self.ctx.refusal(NKI2705, name=name, fn=self.fn, got=len(found), want="one")
        return found[0]

    def channels(self, given: Any) -> list[int]:
        """Channels, numbered from 0."""
        ids = [plain_int(i) for i in given] if isinstance(given, list | tuple) else None
        if ids is None or None in ids:
            raise self._wrong("channel_ids", "a list of integers", given)
        if not ids or ids != list(range(len(ids))):
            want = "they are 0, 1, 2 and so on"
            raise self.ctx.refusal(NKI2708, fn=self.fn, got=list(given), want=want)
        if len(ids) > len(CHANNELS):
            want = f"there are at most {len(CHANNELS)}"
            raise self.ctx.refusal(NKI2708, fn=self.fn, got=list(given), want=want)
        return list(range(len(ids)))

    def by_channel(self, name: str, given: Any, channels: list[int]) -> list[NkiTensor]:
        """The tensor of every channel."""
        if not isinstance(given, list | tuple):
            raise self._wrong(name, "a list of lists of tensors", given)
        if len(given) != len(channels):
            want = f"`{name}` has tensors for {len(given)}"
            raise self.ctx.refusal(NKI2708, fn=self.fn, got=channels, want=want)
        return [self.one(f"{name}[{i}]", tensors) for i, tensors in enumerate(given)]

    def _wrong(self, name: str, expected: str, given: Any) -> Exception:
        return self.ctx.refusal(
            NKI1007, name=name, fn=self.fn, expected=expected, got=shown(given), operand=name
        )


CALLS = (
    all_reduce, all_gather, all_gather_v, reduce_scatter, all_to_all, all_to_all_v,
    collective_permute,
    collective_permute_implicit, collective_permute_implicit_reduce,
)  # fmt: skip
"""Every call that there is."""
