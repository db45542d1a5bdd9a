"""Permutes between ranks: worked examples at every level, and their rules one by one."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.dtypes import dtype as named
from opennki.ir import Space, Tensor, View, problems
from opennki.isa.enums import AluOp
from opennki.isa.permute import (
    CollectivePermuteImplicitOp,
    TiledCollectivePermuteOp,
    TiledCollectivePermuteReduceOp,
)
from opennki.target import target
from opennki.testing.programs import RUNNERS

T = target("trn2")
levels = pytest.mark.parametrize("level", RUNNERS)


def on_ranks(kernel, level, ranks, *args):
    made = nki.simulate(kernel, level=level, target="trn2")
    return [result.tolist() for result in opennki.launch(made, ranks=ranks)(*args)]


def column(*values):
    """One array per rank, each with one element."""
    return [np.array([[value]], np.float32) for value in values]


@levels
def test_pairs_say_who_sends_to_whom(level):
    @nki.jit
    def kernel(x):
        src = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        dst = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=src, src=x)
        nisa.dma_copy(dst=dst, src=x)
        ncc.collective_permute([src], [dst], source_target_pairs=[(0, 1), (1, 2), (3, 3)])
        return dst

    got = on_ranks(kernel, level, 5, column(10, 11, 12, 13, 14))
    assert got == [[[10]], [[10]], [[11]], [[13]], [[14]]]  # 0 and 4 receive nothing


@levels
def test_a_ring_goes_through_its_group_in_order(level):
    @nki.jit
    def kernel(x):
        t = nl.load(x)
        ncc.collective_permute_implicit([[t]], [[t]], ncc.ReplicaGroup([[0, 2, 1], [4, 3, 5]]))
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, t)
        return out

    got = on_ranks(kernel, level, 6, column(10, 11, 12, 13, 14, 15))
    assert got == [[[11]], [[12]], [[10]], [[14]], [[15]], [[13]]]


@levels
def test_channels_have_tensors_of_their_own(level):
    @nki.jit
    def kernel(x):
        src = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=src, src=x)
        ncc.collective_permute_implicit(
            [[src[0:1]], [src[1:2]]], [[out[1:2]], [out[0:1]]], ncc.ReplicaGroup([[0, 1]]),
            channel_ids=[0, 1],
        )  # fmt: skip
        return out

    x = [np.array([[1], [2]], np.float32), np.array([[3], [4]], np.float32)]
    assert on_ranks(kernel, level, 2, x) == [[[4], [3]], [[2], [1]]]


@levels
def test_a_rank_sends_what_it_has_combined(level):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ncc.collective_permute_implicit_reduce(
            [[x]], [[y]], [[out]], ncc.ReplicaGroup([[0, 1, 2]]), nl.add
        )
        return out

    got = on_ranks(kernel, level, 3, column(1, 2, 3), column(10, 20, 30))
    assert got == [[[33]], [[11]], [[22]]]


def tile(*shape, dtype="float32", space=Space.private_hbm):
    return View.whole(Tensor("t", shape, named(dtype), space))


def codes(inst, on=T):
    inst.prepare(on)
    inst.engine = inst.default_engine(on)
    return [p.code.id for p in problems(inst, on)]


def permute(pairs=((0, 1),), src=None, dst=None, **more):
    views = {"src": src or tile(4, 8), "dst": dst or tile(4, 8)}
    return TiledCollectivePermuteOp(source_target_pairs=pairs, **views, **more)


def ring(src=None, dst=None, **more):
    views = {"src": src or tile(4, 8), "dst": dst or tile(4, 8)}
    return CollectivePermuteImplicitOp(**{**views, "replica_groups": ((0, 1),), **more})


def reducing(src1=None, dst=None, **more):
    views = {"src0": tile(4, 8), "src1": src1 or tile(4, 8), "dst": dst or tile(4, 8)}
    return TiledCollectivePermuteReduceOp(**{**views, "replica_groups": ((0, 1),), **more})


class TestRules:
    def test_pairs(self):
        for pairs in (((0, 1),), ((0, 1), (1, 0)), ((2, 2),)):
            assert codes(permute(pairs)) == []
        for pairs in ((), ((0,),), ((0, 1, 2),), ((0, 1), (0, 2)), ((0, 1), (2, 1)), ((0, -1),)):
            assert codes(permute(pairs)) == ["NKI2124"]

    def test_pairs_name_ranks_of_the_launch(self):
        assert list(permute(((0, 1), (3, 0))).check_ranks(4)) == []
        (found,) = permute(((0, 1), (3, 0))).check_ranks(3)
        assert found.code.id == "NKI2707"

    def test_pairs_are_in_hbm(self):
        for space in (Space.sbuf, Space.psum):
            assert codes(permute(src=tile(4, 8, space=space))) == ["NKI2105"]
            assert codes(permute(dst=tile(4, 8, space=space))) == ["NKI2105"]

    @pytest.mark.parametrize("make", [permute, ring, reducing])
    def test_tensors_are_alike(self, make):
        assert codes(make()) == []
        assert codes(make(dst=tile(4, 4))) == ["NKI2107"]
        assert codes(make(dst=tile(4, 8, dtype="int32"))) == ["NKI2116"]

    def test_both_sources_are_alike(self):
        assert codes(reducing(src1=tile(4, 4))) == ["NKI2107"]
        assert codes(reducing(src1=tile(4, 8, dtype="int32"))) == ["NKI2116"]

    @pytest.mark.parametrize("make", [ring, reducing])
    def test_rings_are_groups(self, make):
        assert codes(make(replica_groups=((0, 1), (2, 3)))) == []
        assert codes(make(replica_groups=((0, 1), (1, 2)))) == ["NKI2707"]

    @pytest.mark.parametrize("make", [ring, reducing])
    def test_channels(self, make):
        for channel in range(4):
            assert codes(make(channel_id=channel)) == []
        for channel in (-1, 4):
            assert codes(make(channel_id=channel)) == ["NKI2124"]

    @pytest.mark.parametrize("make", [ring, reducing])
    def test_memories_are_not_mixed(self, make):
        assert codes(make(dst=tile(4, 8, space=Space.sbuf))) == ["NKI2704"]

    def test_rings_work_in_sbuf(self):
        sbuf = tile(4, 8, space=Space.sbuf)
        assert codes(ring(sbuf, sbuf)) == []
        deep = tile(4, 2, 4, space=Space.sbuf)
        assert codes(ring(deep, deep)) == ["NKI2706", "NKI2706"]

    def test_operators(self):
        for op in (AluOp.add, AluOp.min, AluOp.max):
            assert codes(reducing(op=op)) == []
        assert codes(reducing(op=AluOp.mult)) == ["NKI2117"]

    @pytest.mark.parametrize("make", [permute, ring, reducing])
    def test_priorities(self, make):
        assert codes(make(priority=0), target("trn3")) == []
        assert codes(make(priority=0)) == ["NKI2108"]
        assert codes(make(priority=9), target("trn3")) == ["NKI2124"]
