"""Permutes and their BIR."""

from __future__ import annotations

import pytest

from opennki import klr

from .statements import lowered, refused, tensor

GROUPS = klr.Literal([[0, 1], [2, 3]])


def hbm(name: str) -> klr.Abstract:
    return tensor(name, (8, 4), memory="shared_hbm")


def ring(**fields: object) -> klr.CollectiveOp:
    return klr.CollectiveOp([hbm("d")], [hbm("s")], **({"replicaGroup": GROUPS} | fields))


def test_pairs_name_ranks():
    args = klr.CollectiveOp([hbm("d")], [hbm("s")], sourceTargetPairs=[[0, 1], [1, 0]])
    assert lowered("collectivePermute", args) == (
        'CollectiveCompute POOL outs(%d) ins(%s) {cc_channel=["Permute", [], "bypass"], '
        "src_target_pairs=[[0, 1], [1, 0]], stream_id=-1}"
    )
    assert not klr.uses_extensions(args)


def test_a_ring_has_channels():
    args = ring(channel_id=1, num_channels=2)
    assert lowered("collectivePermuteImplicit", args) == (
        "CollectiveCompute POOL outs(%d) ins(%s) "
        '{cc_channel=["PermuteImplicit", [[0, 1], [2, 3]], "bypass"], channel_id=1, stream_id=-1}'
    )
    assert not klr.uses_extensions(args)


@pytest.mark.parametrize(("channel", "channels"), [(0, 1), (0, None), (None, 1), (2, 3)])
def test_a_channel_counts_from_0(channel, channels):
    args = ring(channel_id=channel, num_channels=channels)
    made = lowered("collectivePermuteImplicit", args)
    assert (f"channel_id={channel}" in made) is bool(channel)


def test_a_ring_may_combine_two_sources():
    args = ring(op=klr.AluOp.add, channel_id=0)
    args.srcs.append(hbm("t"))
    assert lowered("collectivePermuteImplicitReduce", args) == (
        "CollectiveCompute POOL outs(%d) ins(%s, %t) "
        '{cc_channel=["PermuteReduceImplicit", [[0, 1], [2, 3]], "add"], stream_id=-1}'
    )
    assert not klr.uses_extensions(args)


def test_ranks_are_said_in_one_way():
    args = ring(sourceTargetPairs=[[0, 1]])
    assert refused("collectivePermute", args) == "replicaGroup: literal"
    args = klr.CollectiveOp([hbm("d")], [hbm("s")])
    assert refused("collectivePermute", args) == "sourceTargetPairs: none"
    assert refused("collectivePermuteImplicit", args) == "replicaGroup: unspecified"


def test_operands_and_operators_must_be_there():
    args = ring(op=klr.AluOp.add)
    assert refused("collectivePermuteImplicitReduce", args) == "number of srcs: 1"
    assert refused("collectivePermuteImplicit", args) == "op: add"
    args.srcs.append(hbm("t"))
    args.op = None
    assert refused("collectivePermuteImplicitReduce", args) == "op: none"


@pytest.mark.parametrize(("channel", "channels"), [(2, 2), (-1, 4), (0, 0), (None, 0)])
def test_a_channel_is_one_of_those_that_there_are(channel, channels):
    args = ring(channel_id=channel, num_channels=channels)
    want = f"num_channels: {channels} with channel {channel or 0}"
    assert refused("collectivePermuteImplicit", args) == want
