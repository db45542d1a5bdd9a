"""Collectives of variable length: worked examples at every level, and their rules one by one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiWarning
from opennki.base.dtypes import dtype as named
from opennki.ir import Space, Tensor, View, problems
from opennki.isa.collective_v import AllGatherVOp, AllToAllVOp
from opennki.target import target
from opennki.testing.programs import RUNNERS

levels = pytest.mark.parametrize("level", RUNNERS)


def table(*rows):
    return np.array(rows, np.uint32)


def kernel_of(fn, groups, size, **options):
    """A kernel that calls `fn` and returns what it received, and its table."""

    @nki.jit
    def kernel(x, counts):
        out = nl.ndarray((size,), dtype=x.dtype, buffer=nl.shared_hbm)
        told = nl.ndarray(counts.shape, dtype=counts.dtype, buffer=nl.shared_hbm)
        if nl.program_id(0) == 0:
            nisa.dma_copy(dst=told, src=counts)
            zeros = nl.zeros((1, size), x.dtype)
            nisa.dma_copy(dst=out, src=zeros)
            fn([x], [out], ncc.ReplicaGroup(groups), told, **options)
        return out, told

    return kernel


def on_ranks(kernel, level, x, counts, lnc=None, target="trn2"):
    made = nki.simulate(kernel, level=level, target=target)
    results = opennki.launch(made, ranks=len(x), lnc=lnc)(x, counts)
    return [out.tolist() for out, _ in results], [told.tolist() for _, told in results]


@levels
def test_each_rank_gets_its_chunks(level):
    x = [np.arange(0, 4, dtype=np.float32), np.arange(10, 14, dtype=np.float32)]
    counts = [
        table([1, 2], [0, 1], [9, 9]),  # x[0:1] stays, x[1:3] goes to rank 1
        table([3, 0], [1, 0], [9, 9]),  # x[1:4] goes to rank 0, nothing stays
    ]
    got, told = on_ranks(kernel_of(ncc.all_to_all_v, [[0, 1]], 8), level, x, counts)
    assert got == [[0, 0, 0, 0, 11, 12, 13, 0], [1, 2, 0, 0, 0, 0, 0, 0]]
    assert told == [[[1, 2], [0, 1], [1, 3]], [[3, 0], [1, 0], [2, 0]]]


@levels
def test_counts_that_are_known_are_left(level):
    x = [np.ones(4, np.float32), np.ones(4, np.float32)]
    counts = [table([1, 1], [0, 0], [9, 9])] * 2
    kernel = kernel_of(ncc.all_to_all_v, [[0, 1]], 4, recv_counts_known=True)
    assert (
        on_ranks(kernel, level, x, [c.copy() for c in counts])[1] == [[[1, 1], [0, 0], [9, 9]]] * 2
    )


@levels
def test_receivers_say_where_chunks_go(level):
    x = [np.full(4, rank + 1, np.float32) for rank in range(8)]
    places = [7, 6, 5, 4, 3, 2, 1, 0]
    counts = [table([1] * 8, [0] * 8, [0] * 8, places) for _ in range(8)]
    groups = [list(range(8))]
    kernel = kernel_of(ncc.all_to_all_v, groups, 8, has_rdispls=True)
    got, _ = on_ranks(kernel, level, x, counts, lnc=2, target="trn3")
    assert got == [[8, 7, 6, 5, 4, 3, 2, 1]] * 8


@levels
def test_all_ranks_get_one_chunk_of_each(level):
    x = [np.arange(10 * rank, 10 * rank + 4, dtype=np.float32) for rank in range(4)]
    counts = [table([n, 7, 7, 7], [1, 7, 7, 7], [0] * 4) for n in (1, 2, 0, 1)]
    kernel = kernel_of(ncc.all_gather_v, [[0, 1, 2, 3]], 8)
    got, told = on_ranks(kernel, level, x, counts, lnc=2)
    assert got == [[1, 0, 11, 12, 0, 0, 31, 0]] * 4
    assert [rows[2] for rows in told] == [[1, 2, 0, 1]] * 4


@levels
def test_what_does_not_fit_is_cut_with_a_warning(level):
    x = [np.arange(1, 5, dtype=np.float32), np.arange(11, 15, dtype=np.float32)]
    counts = [table([0, 3], [0, 0], [0, 0]), table([2, 0], [3, 0], [0, 0])]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got, told = on_ranks(kernel_of(ncc.all_to_all_v, [[0, 1]], 4), level, x, counts)
    assert got == [[0, 0, 14, 0], [1, 2, 0, 0]]
    assert [rows[2] for rows in told] == [[0, 2], [3, 0]]
    assert all(isinstance(w.message, NkiWarning) for w in caught)
    assert "NKI6024" in str(caught[0].message)


@levels
@pytest.mark.parametrize("space", [nl.sbuf, nl.shared_hbm])
def test_only_what_is_read_of_a_table_must_be_written(level, space):
    @nki.jit
    def kernel(x, counts, rows):
        shape = (1, 3, 4) if space is nl.sbuf else (3, 4)
        told = nl.ndarray(shape, dtype=counts.dtype, buffer=space)
        used = told[0:1, 0:rows, 0:1] if space is nl.sbuf else told[0:rows, 0:1]
        nisa.dma_copy(dst=used, src=counts[0:rows, 0:1])
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ncc.all_gather_v([x], [out], ncc.ReplicaGroup([[0, 1, 2, 3]]), told)
        return out

    def warned(rows):
        made = nki.simulate(kernel, level=level, target="trn2")
        counts = table([1] * 4, [0] * 4)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            got = opennki.launch(made, ranks=4, lnc=2)(np.ones(4, np.float32), counts, rows)
        return [out.tolist() for out in got], ["NKI6001" in str(w.message) for w in caught]

    assert warned(2) == ([[1, 1, 1, 1]] * 4, [])
    assert warned(1)[1][:1] == [True]  # where the chunk begins is not known


T2, T3 = target("trn2"), target("trn3")
FOUR = ((0, 1, 2, 3),)
EIGHT = ((0, 1, 2, 3), (4, 5, 6, 7))


def tile(*shape, dtype="float32", space=Space.private_hbm):
    return View.whole(Tensor("t", shape, named(dtype), space))


def made(cls, rows=3, groups=FOUR, metadata=None, dst=None, **more):
    counts = metadata or tile(rows, len(groups[0]), dtype="uint32")
    views = {"src": tile(10), "dst": dst or tile(8), "metadata": counts}
    return cls(**{**views, "replica_groups": groups, **more})


def codes(inst, on=T2):
    inst.prepare(on)
    inst.engine = inst.default_engine(on)
    return [p.code.id for p in problems(inst, on)]


class TestRules:
    def test_tables(self):
        for cls in (AllGatherVOp, AllToAllVOp):
            assert codes(made(cls)) == []
            assert codes(made(cls, metadata=tile(4, 4, dtype="uint32"))) == ["NKI2107"]
            assert codes(made(cls, metadata=tile(3, 4, dtype="int32"))) == ["NKI2106"]
            on_chip = tile(1, 3, 4, dtype="uint32", space=Space.sbuf)
            assert codes(made(cls, metadata=on_chip)) == []
            flat = tile(3, 4, dtype="uint32", space=Space.sbuf)
            assert codes(made(cls, metadata=flat)) == ["NKI2107"]
            wide = Tensor("t", (3, 8), named("uint32"), Space.private_hbm)
            apart = View(wide, 0, (3, 4), (8, 1), wide.dtype)
            assert codes(made(cls, metadata=apart)) == ["NKI2709"]

    def test_tensors(self):
        for cls in (AllGatherVOp, AllToAllVOp):
            assert codes(made(cls, dst=tile(8, dtype="int32"))) == ["NKI2116"]
            assert codes(made(cls, dst=tile(1, 8, space=Space.sbuf))) == ["NKI2105"]
            assert codes(made(cls, dst=tile(9))) == ["NKI2709"]  # no equal slots for 4 ranks

    def test_all_gather_v_works_within_a_device(self):
        assert codes(made(AllGatherVOp, groups=EIGHT)) == []
        assert codes(made(AllGatherVOp, groups=((0, 1),))) == ["NKI2709"]
        assert codes(made(AllGatherVOp, rows=4, has_rdispls=True)) == ["NKI2709"]
        assert [p.code.id for p in made(AllGatherVOp).check_launch(0, 1)] == ["NKI2701"]
        assert list(made(AllGatherVOp).check_launch(0, 2)) == []

    def test_all_to_all_v_without_a_switch(self):
        assert codes(made(AllToAllVOp, groups=((0, 2), (1, 3)))) == []
        assert codes(made(AllToAllVOp, rows=4, has_rdispls=True)) == ["NKI2108"]
        assert list(made(AllToAllVOp).check_launch(0, 1)) == []

    def test_all_to_all_v_through_a_switch(self):
        assert codes(made(AllToAllVOp, groups=EIGHT), T3) == []
        assert codes(made(AllToAllVOp, rows=4, groups=EIGHT, has_rdispls=True), T3) == []
        assert codes(made(AllToAllVOp, groups=FOUR), T3) == ["NKI2709"]  # one device
        for groups in (((0, 1), (2, 3), (4, 5)), ((0, 1, 2, 4), (3, 5, 6, 7))):
            assert codes(made(AllToAllVOp, groups=groups), T3)[:1] == ["NKI2709"]
        inst = made(AllToAllVOp, groups=EIGHT)
        inst.prepare(T3)
        assert [p.code.id for p in inst.check_launch(0, 1)] == ["NKI2701"]
        assert list(inst.check_launch(0, 2)) == []
