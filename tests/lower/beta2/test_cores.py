"""Operators of two cores and their BIR."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.builder.klr_emit import EMITTERS
from opennki.builder.klr_places import Places
from opennki.isa.cores import GpSimdSwapOp
from opennki.isa.enums import Engine
from opennki.testing.statements import tile

from .statements import lowered, refused, tensor

A, B = tensor("a", (32, 8)), tensor("b", (32, 8))
DATA = tensor("x", (32, 8), memory="shared_hbm")


def exchange(to: int, source: int, *, swap: bool = False) -> klr.SendRecv:
    numbers = [klr.IntImm(n) for n in (to, source, 7)]
    return klr.SendRecv(A, B, *numbers, swap)


def test_a_barrier_reads_and_writes_what_it_orders():
    args = klr.CoreBarrier(DATA, [0, 1], klr.Engine.act)
    want = "CoreBarrier ACT outs(%x) ins(%x) {cores=[0, 1]}"
    assert lowered("coreBarrier", args, 0, 2) == want
    assert not klr.uses_extensions(args)
    args.id = 3
    assert lowered("coreBarrier", args, 0, 2) == want.replace("]}", "], id=3}")
    assert klr.uses_extensions(args)


def test_a_transfer_is_a_local_collective():
    assert lowered("sendRecv", exchange(1, 1), 0, 2) == (
        'CollectiveCompute POOL outs(%a) ins(%b) {cc_channel=["SendRecv", [], "bypass"], '
        "is_local=true, pipe_id=7, recv_from_rank=[1], send_to_rank=1, stream_id=-1}"
    )
    assert not klr.uses_extensions(exchange(1, 1))


@pytest.mark.parametrize("core", [0, 1])
def test_a_swap_is_with_the_other_core(core):
    swap = GpSimdSwapOp(dst=tile("a", 32, 8), src=tile("b", 32, 8), pipe_id=7, engine=Engine.POOL)
    made = EMITTERS[GpSimdSwapOp](swap, Places(core))
    other = klr.IntImm(1 - core)
    assert (made.args.sendToRank, made.args.recvFromRank) == (other, other)
    assert made.args.useGpsimdDma
    want = "GPSIMDSB2SB POOL outs(%a) ins(%b) {opennki_pipe_id=7}"
    assert lowered("sendRecv", made.args, core, 2) == want


def test_a_body_that_is_the_only_one_has_no_rank():
    assert "send_to_rank=0" in lowered("sendRecv", exchange(0, 0))


def test_gpsimd_has_an_opcode_of_its_own():
    want = "GPSIMDSB2SB POOL outs(%a) ins(%b) {opennki_pipe_id=7}"
    assert lowered("sendRecv", exchange(0, 0, swap=True), 1, 2) == want
    assert not klr.uses_extensions(exchange(0, 0, swap=True))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("core", [0, 1])
def test_a_core_does_not_exchange_with_itself(core, swap):
    wrong = f"{core}, the core itself"
    assert refused("sendRecv", exchange(core, 1 - core, swap=swap), core, 2) == (
        f"sendToRank: {wrong}"
    )
    assert refused("sendRecv", exchange(1 - core, core, swap=swap), core, 2) == (
        f"recvFromRank: {wrong}"
    )


@pytest.mark.parametrize("name", ["sendToRank", "recvFromRank", "pipeId"])
def test_numbers_must_be_integers(name):
    args = exchange(1, 1)
    setattr(args, name, klr.RegisterImm(0))
    assert refused("sendRecv", args, 0, 2) == f"{name}: register"


def test_a_sum_of_what_arrives_is_not_lowered():
    args = klr.SendRecvCompute([A], [B], [klr.IntImm(1)], [klr.IntImm(1)], klr.IntImm(0),
                               klr.AluOp.add)  # fmt: skip
    assert refused("sendRecvCompute", args, 0, 2) == "operator: sendRecvCompute"
