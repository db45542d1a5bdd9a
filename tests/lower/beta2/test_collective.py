"""Collectives between ranks and their BIR."""

from __future__ import annotations

import pytest

from opennki import klr

from .statements import lowered, refused, tensor

GROUPS = klr.Literal([[0, 1], [2, 3]])
SHOWN = "[[0, 1], [2, 3]]"


def hbm(name: str, shape: tuple[int, ...] = (8, 4)) -> klr.Abstract:
    return tensor(name, shape, memory="shared_hbm")


def collective(**fields: object) -> klr.CollectiveOp:
    return klr.CollectiveOp([hbm("d")], [hbm("s")], **({"replicaGroup": GROUPS} | fields))


def text(kind: str, op: str, more: str = "", after: str = "") -> str:
    return (
        f'CollectiveCompute POOL outs(%d) ins(%s) {{cc_channel=["{kind}", {SHOWN}, "{op}"], '
        f"{more}stream_id=-1{after}}}"
    )


EXAMPLES = [
    ("allReduce", {"op": klr.AluOp.max, "priority": 2}, text("AllReduce", "max", "dma_qos=P2, ")),
    ("allGather", {"concatDim": 1}, text("AllGather", "bypass")),  # Free, the default
    ("allGather", {"concatDim": 0}, text("AllGather", "bypass", "cc_dim=Partition, ")),
    ("allGather", {}, text("AllGather", "bypass", "cc_dim=Partition, ")),
    ("reduceScatter", {"op": klr.AluOp.add}, text("ReduceScatter", "add", "cc_dim=Partition, ")),
    ("allToAll", {"concatDim": 0}, text("AllToAll", "bypass", "cc_dim=Partition, ")),
]


@pytest.mark.parametrize(("kind", "fields", "want"), EXAMPLES)
def test_the_channel_says_which_it_is(kind, fields, want):
    args = collective(**fields)
    assert lowered(kind, args) == want
    assert not klr.uses_extensions(klr.Operator(kind, args))


@pytest.mark.parametrize("kind", ["allReduce", "reduceScatter"])
def test_reductions_have_an_operator(kind):
    assert refused(kind, collective()) == "op: none"


@pytest.mark.parametrize("kind", ["allGather", "allToAll"])
def test_others_have_none(kind):
    assert refused(kind, collective(op=klr.AluOp.add)) == "op: add"


@pytest.mark.parametrize(("fields", "got"), [
    ({"replicaGroup": klr.Unspecified()}, "replicaGroup: unspecified"),
    ({"replicaGroup": klr.Named("world")}, "replicaGroup: named"),
    ({"concatDim": 2}, "concatDim: 2"),
    ({"concatDim": -1}, "concatDim: -1"),
    ({"channel_id": 0}, "channel_id: 0"),
    ({"num_channels": 1}, "num_channels: 1"),
    ({"sourceTargetPairs": [[0, 1]]}, "sourceTargetPairs: [[0, 1]]"),
    ({"priority": 15}, "priority: 15"),
])  # fmt: skip
def test_fields_that_mean_nothing_are_refused(fields, got):
    assert refused("allGather", collective(**fields)) == got


def test_a_reduction_of_whole_tensors_has_no_dimension():
    args = collective(op=klr.AluOp.add, concatDim=0)
    assert refused("allReduce", args) == "concatDim: 0"


def test_there_is_one_operand_of_each_kind():
    args = collective()
    args.srcs.append(hbm("t"))
    assert refused("allGather", args) == "number of srcs: 2"
    args = collective()
    args.dsts.clear()
    assert refused("allGather", args) == "number of dsts: 0"


@pytest.mark.parametrize("kind", ["broadcast", "send", "recv"])
def test_collectives_that_no_kernel_calls_are_not_lowered(kind):
    args = {
        "broadcast": collective(),
        "send": klr.Send(klr.AluOp.add, [hbm("s")], 1),
        "recv": klr.Recv(klr.AluOp.add, [hbm("d")], [0, 1], 1),
    }[kind]
    assert refused(kind, args) == f"operator: {kind}"
