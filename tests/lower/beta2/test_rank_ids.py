"""Ranks in registers and their BIR."""

from __future__ import annotations

from opennki import klr

from .statements import lowered, refused


def test_the_own_rank():
    args = klr.RankId("r")
    assert lowered("rankId", args) == "GetGlobalRankId ALL outs(%r) ins() {world_size=0}"
    assert not klr.uses_extensions(args)
    args.worldSize = 8
    assert lowered("rankId", args) == "GetGlobalRankId ALL outs(%r) ins() {world_size=8}"
    assert klr.uses_extensions(args)


def test_the_rank_whose_data_a_ring_has_brought():
    args = klr.CurrentProcessingRankId("r", 3, 1, 2, [[0, 1], [2, 3]])
    assert lowered("currentProcessingRankId", args) == (
        "GetCurProcessingRankID ALL outs(%r) ins() "
        "{channel_id=1, iter_id=3, replica_groups=[[0, 1], [2, 3]]}"
    )
    assert not klr.uses_extensions(args)


def test_a_channel_is_one_of_those_that_there_are():
    args = klr.CurrentProcessingRankId("r", 3, 2, 2, [[0, 1]])
    want = "num_channels: 2 with channel 2"
    assert refused("currentProcessingRankId", args) == want
