"""Collectives of variable length, which are extensions, and their BIR."""

from __future__ import annotations

from opennki import klr

from .statements import is_plain, lowered, refused, tensor


def variable(rows: int, *flags: bool, **fields: object) -> klr.CollectiveVOp:
    data = [tensor(name, (8, 4), memory="shared_hbm") for name in "ds"]
    table = tensor("m", (rows, 2), "uint32", "shared_hbm")
    args = {"replicaGroup": klr.Literal([[0, 1], [2, 3]]), "priority": None} | fields
    return klr.CollectiveVOp(*data, table, args["replicaGroup"], *flags, priority=args["priority"])


def test_the_table_is_read_and_written():
    args = variable(3, True, False)
    assert lowered("allGatherV", args) == (
        "CollectiveCompute POOL outs(%d, %m) ins(%s, %m) "
        '{cc_channel=["AllGatherV", [[0, 1], [2, 3]], "bypass"], '
        "opennki_recv_counts_known=true, stream_id=-1}"
    )
    assert not is_plain("allGatherV", args)


def test_places_may_be_said():
    args = variable(4, False, True, priority=3)
    assert lowered("allToAllV", args) == (
        "CollectiveCompute POOL outs(%d, %m) ins(%s, %m) "
        '{cc_channel=["AllToAllV", [[0, 1], [2, 3]], "bypass"], dma_qos=P3, '
        "opennki_has_rdispls=true, stream_id=-1}"
    )
    assert not is_plain("allToAllV", args)


def test_ranks_and_priorities_are_those_that_there_are():
    args = variable(3, True, False, replicaGroup=klr.Named("world"))
    assert refused("allGatherV", args) == "replicaGroup: named"
    assert refused("allToAllV", variable(3, True, False, priority=99)) == "priority: 99"
