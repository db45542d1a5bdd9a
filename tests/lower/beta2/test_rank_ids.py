"""Ranks in registers and their BIR."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.base.dtypes import int32
from opennki.ir import Space
from opennki.isa.rank_ids import GetCurProcessingRankId
from opennki.testing.statements import emitted, tile

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


@pytest.mark.parametrize("channel", [0, 3])
def test_no_more_channels_are_said_to_be_there_than_the_one_needs(channel):
    register = tile("r", 1, 1, dtype=int32, space=Space.register)
    inst = GetCurProcessingRankId(
        dst=register, iteration_id=1, channel_id=channel, replica_groups=((0, 1),)
    )
    made = emitted(inst)
    assert made.args == klr.CurrentProcessingRankId("r", 1, channel, channel + 1, [[0, 1]])
    assert f"channel_id={channel}" in lowered("currentProcessingRankId", made.args)


def test_a_channel_is_one_of_those_that_there_are():
    args = klr.CurrentProcessingRankId("r", 3, 2, 2, [[0, 1]])
    want = "num_channels: 2 with channel 2"
    assert refused("currentProcessingRankId", args) == want
