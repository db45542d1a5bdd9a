"""Collectives of the ranks of a launch: reductions, gathers, scatters and exchanges."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places, named
from opennki.isa.collective import (
    Groups,
    TiledAllGatherOp,
    TiledAllReduceOp,
    TiledAlltoAllOp,
    TiledReduceScatterOp,
)


def ranks(groups: Groups) -> list[list[int]]:
    """Lists of ranks, or of pairs of them."""
    return [list(group) for group in groups]


def replica_group(groups: Groups) -> klr.ReplicaGroup:
    """Who takes part: the ranks of every group."""
    return klr.Literal(ranks(groups))


def _all_reduce(inst: TiledAllReduceOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], [at.view(inst.src)], named(klr.AluOp, inst.op),
        replica_group(inst.replica_groups), priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("allReduce", args)


def _all_gather(inst: TiledAllGatherOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], [at.view(inst.src)], None, replica_group(inst.replica_groups),
        inst.collective_dim, priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("allGather", args)


def _reduce_scatter(inst: TiledReduceScatterOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], [at.view(inst.src)], named(klr.AluOp, inst.op),
        replica_group(inst.replica_groups), inst.collective_dim, priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("reduceScatter", args)


def _all_to_all(inst: TiledAlltoAllOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], [at.view(inst.src)], None, replica_group(inst.replica_groups),
        inst.collective_dim, priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("allToAll", args)


EMITTERS: Final[dict[type, Any]] = {
    TiledAllReduceOp: _all_reduce, TiledAllGatherOp: _all_gather,
    TiledReduceScatterOp: _reduce_scatter, TiledAlltoAllOp: _all_to_all,
}  # fmt: skip
