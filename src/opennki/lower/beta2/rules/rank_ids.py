"""Ranks in registers, which are of int32 like all others."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site

from .collective import check_channels, ranks


def _rank_id(op: klr.RankId, at: Site) -> Instruction:
    attrs = {"world_size": op.worldSize}
    return at.make("GetGlobalRankId", Engine.ALL, [], [at.register(op.dst)], attrs)


def _processing(op: klr.CurrentProcessingRankId, at: Site) -> Instruction:
    check_channels(op.channelId, op.numChannels, at)
    attrs = {
        "iter_id": op.iterationId, "channel_id": op.channelId,
        "replica_groups": ranks(op.replicaGroup),
    }  # fmt: skip
    return at.make("GetCurProcessingRankID", Engine.ALL, [], [at.register(op.dst)], attrs)


RULES: Final[dict[str, Any]] = {"rankId": _rank_id, "currentProcessingRankId": _processing}
