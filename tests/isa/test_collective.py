"""Collectives between ranks: worked examples at every level, and their rules one by one."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.dtypes import dtype as named
from opennki.birpy import print_module
from opennki.ir import Space, Tensor, View, problems
from opennki.isa.collective import (
    TiledAllGatherOp,
    TiledAllReduceOp,
    TiledAlltoAllOp,
    TiledReduceScatterOp,
)
from opennki.isa.enums import AluOp
from opennki.lower import BirCodeGenLoop
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of

T = target("trn2")
PAIR = ncc.ReplicaGroup([[0, 1]])
levels = pytest.mark.parametrize("level", RUNNERS)


def on_ranks(kernel, level, *args, lnc=None):
    """What `kernel` returns on each of two ranks, as lists."""
    made = nki.simulate(kernel, level=level, target="trn2")
    return [result.tolist() for result in opennki.launch(made, ranks=2, lnc=lnc)(*args)]


def in_hbm(call, rows):
    """A kernel that makes `call(src, dst)` on tensors in HBM; `dst` has `rows` rows."""

    @nki.jit
    def kernel(x):
        shape = (rows, *x.shape[1:])
        src = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        out = nl.ndarray(shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=src, src=x)
        call(src, out)
        return out

    return kernel


X = [np.array([[1, 2], [3, 4]], np.float32), np.array([[10, 0], [-5, 7]], np.float32)]


@levels
@pytest.mark.parametrize(
    ("op", "want"),
    [
        (nl.add, [[11, 2], [-2, 11]]),
        (nl.minimum, [[1, 0], [-5, 4]]),
        (nl.maximum, [[10, 2], [3, 7]]),
    ],
)
def test_all_ranks_get_what_is_combined(level, op, want):
    kernel = in_hbm(lambda s, d: ncc.all_reduce([s], [d], PAIR, op), 2)
    assert on_ranks(kernel, level, X) == [want, want]


@levels
@pytest.mark.parametrize(
    ("op", "dtype", "want"),
    [
        (nl.maximum, np.int32, [2**31 - 1, -(2**24)]),
        (nl.minimum, np.int32, [2**31 - 2, -(2**24) - 1]),
        (nl.maximum, np.uint32, [2**31 - 1, 2**32 - 2**24]),
        (nl.minimum, np.uint32, [2**31 - 2, 2**32 - 2**24 - 1]),
    ],
)
def test_the_largest_and_smallest_of_integers_are_exact(level, op, dtype, want):
    """Where sums, which are made in float32, warn."""
    a = np.array([[2**31 - 1, -(2**24)]], np.int64).astype(dtype)
    b = np.array([[2**31 - 2, -(2**24) - 1]], np.int64).astype(dtype)
    reduced = in_hbm(lambda src, dst: ncc.all_reduce([src], [dst], PAIR, op), 1)
    assert on_ranks(reduced, level, [a, b]) == [[want]] * 2
    scattered = in_hbm(lambda src, dst: ncc.reduce_scatter([src], [dst], PAIR, 0, op), 1)
    both = [np.concatenate([one, one]) for one in (a, b)]
    assert on_ranks(scattered, level, both) == [[want]] * 2

    @nki.jit
    def permuted(x, y):
        out, *sides = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) for _ in range(3))
        for side, given in zip(sides, (x, y), strict=True):
            nisa.dma_copy(dst=side, src=given)
        first, second = sides
        ncc.collective_permute_implicit_reduce([[first]], [[second]], [[out]], PAIR, op)
        return out

    assert on_ranks(permuted, level, a, b) == [[want]] * 2


@levels
def test_sums_are_rounded_once(level):
    """2048 + 1 + 1 in float16: each 1 alone would be lost."""
    kernel = in_hbm(lambda s, d: ncc.all_reduce([s], [d], ncc.ReplicaGroup([[0, 1, 2]]), nl.add), 1)
    parts = [np.array([[value]], np.float16) for value in (2048, 1, 1)]
    made = nki.simulate(kernel, level=level, target="trn2")
    assert [r.tolist() for r in opennki.launch(made, ranks=3)(parts)] == [[[2050]]] * 3


@levels
def test_parts_follow_each_other_in_the_order_of_the_group(level):
    def kernel_of(groups):
        group = ncc.ReplicaGroup(groups)
        return in_hbm(lambda s, d: ncc.all_gather([s], [d], group, 0), 4)

    straight = [[1, 2], [3, 4], [10, 0], [-5, 7]]
    assert on_ranks(kernel_of([[0, 1]]), level, X) == [straight, straight]
    turned = straight[2:] + straight[:2]
    assert on_ranks(kernel_of([[1, 0]]), level, X) == [turned, turned]


@levels
@pytest.mark.parametrize(
    ("dim", "want"),
    [(0, [[1, 2], [3, 4], [10, 0], [-5, 7]]), (1, [[1, 2, 10, 0], [3, 4, -5, 7]])],
)
def test_tiles_are_gathered_along_either_dimension(level, dim, want):
    @nki.jit
    def kernel(x):
        t = nl.load(x)
        shape = (2 * x.shape[0], x.shape[1]) if dim == 0 else (x.shape[0], 2 * x.shape[1])
        gathered = nl.ndarray(shape, dtype=x.dtype, buffer=nl.sbuf)
        ncc.all_gather(srcs=[t], dsts=[gathered], replica_group=PAIR, collective_dim=dim)
        out = nl.ndarray(shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, gathered)
        return out

    assert on_ranks(kernel, level, X) == [want, want]


@levels
def test_each_rank_gets_its_part_of_what_is_combined(level):
    kernel = in_hbm(lambda s, d: ncc.reduce_scatter([s], [d], PAIR, 0, nl.add), 1)
    assert on_ranks(kernel, level, X) == [[[11, 2]], [[-2, 11]]]


@levels
def test_ranks_exchange_parts(level):
    kernel = in_hbm(lambda s, d: ncc.all_to_all([s], [d], PAIR, 0), 2)
    assert on_ranks(kernel, level, X) == [[[1, 2], [10, 0]], [[3, 4], [-5, 7]]]


@levels
def test_several_tensors_share_a_call(level):
    @nki.jit
    def kernel(x, y):
        a, b, c, d = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) for _ in range(4))
        nisa.dma_copy(dst=a, src=x)
        nisa.dma_copy(dst=b, src=y)
        ncc.all_reduce(srcs=[a, b], dsts=[c, d], replica_group=PAIR, op=nl.add, name="both")
        return c, d

    made = nki.simulate(kernel, level=level, target="trn2")
    ones = np.ones((2, 2), np.float32)
    for c, d in opennki.launch(made, ranks=2)(X, [ones, 2 * ones]):
        assert c.tolist() == [[11, 2], [-2, 11]]
        assert d.tolist() == [[3, 3], [3, 3]]


@levels
def test_each_core_works_with_the_same_core_of_other_ranks(level):
    @nki.jit
    def kernel(x):
        core = nl.program_id(0)
        t = nl.load(x[core : core + 1])
        ncc.all_reduce(srcs=[t], dsts=[t], replica_group=PAIR, op=nl.add)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out[core : core + 1], t)
        return out

    want = [[11, 2], [-2, 11]]
    assert on_ranks(kernel, level, X, lnc=2) == [want, want]


def tile(*shape, dtype="float32", space=Space.private_hbm):
    return View.whole(Tensor("t", shape, named(dtype), space))


def codes(inst, on=T):
    inst.prepare(on)
    inst.engine = inst.engine or inst.default_engine(on)
    return [p.code.id for p in problems(inst, on)]


def made(cls, src=(4, 8), dst=(4, 8), space=Space.private_hbm, **more):
    views = {"src": tile(*src, space=space), "dst": tile(*dst, space=space)}
    return cls(**{**views, "replica_groups": ((0, 1),), **more})


FORMS = {
    TiledAllReduceOp: (4, 8), TiledAllGatherOp: (8, 8), TiledReduceScatterOp: (2, 8),
    TiledAlltoAllOp: (4, 8),
}  # fmt: skip
each = pytest.mark.parametrize("cls", FORMS)


class TestRules:
    @each
    def test_shapes(self, cls):
        want = FORMS[cls]
        assert codes(made(cls, dst=want)) == []
        assert codes(made(cls, dst=(want[0] + 1, 8))) == ["NKI2107"]
        assert codes(made(cls, dst=(want[0], 4))) == ["NKI2107"]
        assert codes(made(cls, dst=(1, *want))) == ["NKI2107"]

    @each
    def test_dtypes_are_equal(self, cls):
        assert codes(made(cls, dst=FORMS[cls])) == []
        group = {"replica_groups": ((0, 1),)}
        other = cls(src=tile(4, 8), dst=tile(*FORMS[cls], dtype="int32"), **group)
        assert codes(other) == ["NKI2116"]

    @each
    def test_groups(self, cls):
        fits = {"dst": FORMS[cls]}
        for groups in (((0, 1),), ((3, 2), (0, 1))):
            assert codes(made(cls, replica_groups=groups, **fits)) == []
        for groups in ((), ((),), ((0, 1), (1, 2)), ((0, 0),), ((0, -1),), ((0, 1), (2,))):
            assert codes(made(cls, replica_groups=groups, **fits))[:1] == ["NKI2707"]

    @each
    def test_groups_are_those_of_the_launch(self, cls):
        inst = made(cls, replica_groups=((0, 1), (3, 2)))
        assert list(inst.check_ranks(4)) == []
        for ranks, words in ((3, "rank 3 is none of them"), (5, "rank 4 is in no group")):
            (found,) = inst.check_ranks(ranks)
            assert found.code.id == "NKI2707"
            assert words in str(found.facts["why"])

    @each
    def test_memories(self, cls):
        fits = {"dst": FORMS[cls]}
        tiles = set(codes(made(cls, space=Space.sbuf, **fits)))
        assert tiles == ({"NKI2105"} if cls is TiledAlltoAllOp else set())
        assert set(codes(made(cls, space=Space.psum, **fits))) == {"NKI2105"}

    @pytest.mark.parametrize("cls", [c for c in FORMS if c is not TiledAlltoAllOp])
    def test_memories_are_not_mixed(self, cls):
        group = {"replica_groups": ((0, 1),)}
        mixed = cls(src=tile(4, 8), dst=tile(*FORMS[cls], space=Space.sbuf), **group)
        assert codes(mixed) == ["NKI2704"]
        shared = cls(src=tile(4, 8), dst=tile(*FORMS[cls], space=Space.shared_hbm), **group)
        assert codes(shared) == []

    def test_tiles_have_two_dimensions(self):
        in_sbuf = {"space": Space.sbuf}
        assert codes(made(TiledAllReduceOp, **in_sbuf)) == []
        deep = {"src": (4, 2, 4), "dst": (4, 2, 4)}
        assert codes(made(TiledAllReduceOp, **deep, **in_sbuf)) == ["NKI2706", "NKI2706"]
        assert codes(made(TiledAllReduceOp, **deep)) == []

    @pytest.mark.parametrize("cls", [TiledAllReduceOp, TiledReduceScatterOp])
    def test_operators(self, cls):
        for op in (AluOp.add, AluOp.min, AluOp.max):
            assert codes(made(cls, dst=FORMS[cls], op=op)) == []
        for op in (AluOp.mult, AluOp.subtract, AluOp.bitwise_or):
            assert codes(made(cls, dst=FORMS[cls], op=op)) == ["NKI2117"]

    def test_dimensions(self):
        for cls in (TiledReduceScatterOp, TiledAlltoAllOp):
            assert codes(made(cls, dst=FORMS[cls], collective_dim=0)) == []
            assert codes(made(cls, dst=FORMS[cls], collective_dim=1)) == ["NKI2124"]
        gather = TiledAllGatherOp
        assert codes(made(gather, dst=(4, 16), collective_dim=1)) == ["NKI2124"]
        assert codes(made(gather, dst=(4, 16), collective_dim=1, space=Space.sbuf)) == []
        assert codes(made(gather, dst=(4, 16), collective_dim=2, space=Space.sbuf)) == ["NKI2124"]

    @pytest.mark.parametrize("cls", [TiledReduceScatterOp, TiledAlltoAllOp])
    def test_what_is_split_has_equal_parts(self, cls):
        assert codes(made(cls, src=(5, 8), dst=(5, 8)))[:1] == ["NKI2107"]

    @each
    def test_priorities_came_with_gen4(self, cls):
        fits = {"dst": FORMS[cls]}
        assert codes(made(cls, priority=3, **fits), target("trn3")) == []
        assert codes(made(cls, priority=3, **fits)) == ["NKI2108"]
        assert codes(made(cls, priority=4, **fits), target("trn3")) == ["NKI2124"]


class TestForms:
    def lowered(self, inst):
        inst.engine = inst.default_engine(T)
        module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
        lines = print_module(module).splitlines()
        (line,) = [text.strip().split("  //")[0] for text in lines if "CollectiveCompute" in text]
        return line.partition("{")[2].rstrip("}")

    def test_attributes_in_bir(self):
        assert self.lowered(made(TiledAllReduceOp, op=AluOp.max)) == (
            'cc_channel=["AllReduce", [[0, 1]], "max"], stream_id=-1'
        )
        assert self.lowered(made(TiledAllGatherOp, dst=(8, 8))) == (
            'cc_channel=["AllGather", [[0, 1]], "bypass"], cc_dim=Partition, stream_id=-1'
        )
        tiles = {"space": Space.sbuf, "collective_dim": 1}
        assert self.lowered(made(TiledAllGatherOp, dst=(4, 16), **tiles)) == (
            'cc_channel=["AllGather", [[0, 1]], "bypass"], stream_id=-1'
        )
        assert self.lowered(made(TiledReduceScatterOp, dst=(2, 8))) == (
            'cc_channel=["ReduceScatter", [[0, 1]], "add"], cc_dim=Partition, stream_id=-1'
        )
        assert self.lowered(made(TiledAlltoAllOp)) == (
            'cc_channel=["AllToAll", [[0, 1]], "bypass"], cc_dim=Partition, stream_id=-1'
        )
