"""Permutes: to a rank that is named, or to the next of a ring, one operator per channel."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places, named
from opennki.isa.permute import (
    CollectivePermuteImplicitOp,
    TiledCollectivePermuteOp,
    TiledCollectivePermuteReduceOp,
)

from .collective import ranks, replica_group


def _permute(inst: TiledCollectivePermuteOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], [at.view(inst.src)],
        sourceTargetPairs=ranks(inst.source_target_pairs), priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("collectivePermute", args)


def _implicit(inst: CollectivePermuteImplicitOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], [at.view(inst.src)], None, replica_group(inst.replica_groups),
        channel_id=inst.channel_id, priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("collectivePermuteImplicit", args)


def _implicit_reduce(inst: TiledCollectivePermuteReduceOp, at: Places) -> klr.Operator:
    args = klr.CollectiveOp(
        [at.view(inst.dst)], at.views([inst.src0, inst.src1]), named(klr.AluOp, inst.op),
        replica_group(inst.replica_groups), channel_id=inst.channel_id, priority=inst.priority,
    )  # fmt: skip
    return klr.Operator("collectivePermuteImplicitReduce", args)


EMITTERS: Final[dict[type, Any]] = {
    TiledCollectivePermuteOp: _permute, CollectivePermuteImplicitOp: _implicit,
    TiledCollectivePermuteReduceOp: _implicit_reduce,
}  # fmt: skip
