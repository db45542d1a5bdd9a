"""Ranks in registers: the own one, and the one whose data a ring has brought."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places
from opennki.isa.rank_ids import GetCurProcessingRankId, GetGlobalRankId

from .collective import ranks


def _rank_id(inst: GetGlobalRankId, at: Places) -> klr.Operator:
    return klr.Operator("rankId", klr.RankId(at.register(inst.dst), inst.world_size))


def _processing(inst: GetCurProcessingRankId, at: Places) -> klr.Operator:
    """Model: no more channels are said to be there than the one that is asked about needs."""
    channel = inst.channel_id
    args = klr.CurrentProcessingRankId(
        at.register(inst.dst), inst.iteration_id, channel, channel + 1, ranks(inst.replica_groups)
    )
    return klr.Operator("currentProcessingRankId", args)


EMITTERS: Final[dict[type, Any]] = {
    GetGlobalRankId: _rank_id, GetCurProcessingRankId: _processing,
}  # fmt: skip
