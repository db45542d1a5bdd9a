"""Rank ids: numbers of ranks in registers, at every level, and what they choose."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.dtypes import int32
from opennki.ir import Space, Tensor, View, problems
from opennki.isa.enums import Engine
from opennki.isa.rank_ids import GetCurProcessingRankId, GetGlobalRankId
from opennki.target import target
from opennki.testing.programs import RUNNERS

levels = pytest.mark.parametrize("level", RUNNERS)


def on_ranks(kernel, level, ranks, *args, lnc=1):
    made = nki.simulate(kernel, level=level, target="trn2")
    return [result.tolist() for result in opennki.launch(made, ranks=ranks, lnc=lnc)(*args)]


@nki.jit
def chosen(table):
    """The row of `table` that has the number of the rank."""
    out = nl.ndarray((1, 2), dtype=table.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((1, 2), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=table.select(0, ncc.rank_id()))
    nisa.dma_copy(dst=out, src=t)
    return out


@levels
def test_every_rank_has_its_number(level):
    table = np.arange(6, dtype=np.float32).reshape(3, 1, 2)
    assert on_ranks(chosen, level, 3, table) == [[[0, 1]], [[2, 3]], [[4, 5]]]


@levels
def test_a_kernel_without_ranks_is_rank_0(level):
    table = np.arange(6, dtype=np.float32).reshape(3, 1, 2)
    result = nki.simulate(chosen, level=level, target="trn2")(table)
    assert result.tolist() == [[0, 1]]


@nki.jit
def brought(x, steps=0):
    """The rank whose data is there after `steps` steps of two rings."""
    rings = ncc.ReplicaGroup([[0, 2, 1], [4, 3, 5]])
    out = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.shared_hbm)
    t = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    for _ in range(steps):
        ncc.collective_permute_implicit([[t]], [[t]], rings)
    u = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.sbuf)
    who = ncc.collective_permute_implicit_current_processing_rank_id(steps, rings)
    nisa.register_store(u[:, 0:1], who)
    nisa.tensor_copy(dst=u[:, 1:2], src=t)
    nisa.dma_copy(dst=out, src=u)
    return out


@levels
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4])
def test_it_names_the_rank_whose_data_came(level, steps):
    own = [np.array([[rank]], np.float32) for rank in range(6)]
    got = on_ranks(brought, level, 6, own, steps)
    assert all(named == data for [[named, data]] in got)
    if steps == 1:  # 0 sends to 2, 2 to 1, 1 to 0; 4 to 3, 3 to 5, 5 to 4
        assert [named for [[named, _]] in got] == [1, 2, 0, 4, 5, 3]


def register():
    return View.whole(Tensor("r", (1, 1), int32, Space.register))


def broken(inst, on="trn2"):
    inst.engine = Engine.ALL
    return [found.code.id for found in problems(inst, target(on))]


def test_numbers_are_not_negative_and_channels_exist():
    groups = ((0, 1),)
    assert broken(GetGlobalRankId(register())) == []
    assert broken(GetGlobalRankId(register(), -1)) == ["NKI2124"]
    assert broken(GetCurProcessingRankId(register(), 0, groups)) == []
    assert broken(GetCurProcessingRankId(register(), 7, groups, 3)) == []
    assert broken(GetCurProcessingRankId(register(), -1, groups)) == ["NKI2124"]
    assert broken(GetCurProcessingRankId(register(), 0, groups, 4)) == ["NKI2124"]
    assert broken(GetCurProcessingRankId(register(), 0, ((0, 0),))) == ["NKI2707"]


def test_rings_are_those_of_the_launch():
    with pytest.raises(opennki.NkiError, match="NKI2707"):
        on_ranks(brought, "penguin", 3, np.zeros((1, 1), np.float32))
