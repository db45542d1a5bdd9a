"""Both roads give the same BIR: whole kernels, with what is known at run time only, and order.

BIR is compared as the back end gets it, with loops, and as KLR has it, with blocks and branches.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki import klr
from opennki.birpy import Module, difference
from opennki.ir import View, register
from opennki.isa.enums import Engine
from opennki.isa.registers import RegisterMove
from opennki.klr.files import PLAIN, lowerable, read, write
from opennki.lower.beta2 import KlirToBirCodegen, branched
from opennki.penguin import Function
from opennki.penguin.substitute import copy_of, put
from opennki.target import target
from opennki.testing.instances import choices, instance
from opennki.testing.programs import program_of
from opennki.testing.roads import both

from . import test_gathers, test_indirection, test_run_time, test_run_time_index, test_run_time_rows
from .forms import ROWS, WIDTH, result, tile
from .test_kernels import EXAMPLES, example
from .test_run_time_index import carries, moved

FLOATS = np.zeros((ROWS, WIDTH), np.float32)
ONE = np.zeros((1, 1), np.int32)


def traced(kernel: Any, *arrays: Any, on: str = "trn2", **options: Any) -> opennki.Compiled:
    """The kernel by the first road."""
    return opennki.compile(kernel, *arrays, target=on, frontend="beta3", **options)


def agree(kernel: Any, *arrays: Any, on: str = "trn2", **options: Any) -> opennki.Compiled:
    """Require that both roads agree about a kernel, and from a file; returns it by the second."""
    first = traced(kernel, *arrays, on=on, **options)
    second = opennki.compile(kernel, *arrays, target=on, frontend="beta2", **options)
    assert difference(first.bir, second.bir) is None
    codegen = KlirToBirCodegen(target(on), structure=False)
    blocks = Module([branched(function) for function in first.bir.functions], first.bir.arch)
    assert difference(blocks, codegen.run_on_kernel(second.klr)) is None
    again: Any = lowerable(read(write(second.klr)).contents)
    again.constants = second.klr.constants
    reread = KlirToBirCodegen(target(on)).run_on_kernel(again)
    assert difference(first.bir, reread) is None
    return second


# ---- kernels of other tests ----------------------------------------------------------------------

CHECKS = [
    (module, name)
    for module, names in (
        (test_run_time, ["test_trips_and_rows_come_from_tensors"]),
        (test_run_time_index, [
            "test_an_index_counts_from_the_start_of_the_view_it_is_of",
            "test_products_take_and_make_windows_that_are_found_at_run_time",
            "test_a_part_of_a_window_may_lie_outside",
        ]),
        (test_run_time_rows, [
            "test_one_index_may_move_many_dimensions_and_dtypes",
            "test_indices_in_several_columns_count_column_by_column",
            "test_both_sides_may_be_found_at_run_time",
        ]),
    )
    for name in names
]  # fmt: skip


def compared(module: Any, monkeypatch: Any) -> list[Any]:
    """Make tests of a module compare roads where they run kernels; a list that tells how many."""
    seen: list[Any] = []
    monkeypatch.setattr(module, "check", lambda k, arrays, *want: seen.append(agree(k, *arrays)))
    return seen


@pytest.mark.parametrize(("module", "name"), CHECKS, ids=[name for _, name in CHECKS])
def test_kernels_of_run_time_tests(module, name, monkeypatch, rng):
    seen = compared(module, monkeypatch)
    getattr(module, name)(rng)
    assert seen


@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_windows_on_chip(buffer, monkeypatch, rng):
    seen = compared(test_run_time_index, monkeypatch)
    test_run_time_index.test_one_index_on_chip_moves_all_partitions_alike(buffer, rng)
    assert len(seen) == 2


@pytest.mark.parametrize("columns", [1, 2])
def test_transposed_rows(columns, monkeypatch, rng):
    seen = compared(test_run_time_rows, monkeypatch)
    test_run_time_rows.test_rows_are_transposed_on_the_way(columns, rng)
    assert seen


@pytest.mark.parametrize("dtype", [nl.float8_e4m3fn_x4, nl.float4_e2m1fn_x4])
def test_packed_rows(dtype, monkeypatch, rng):
    seen = compared(test_run_time_rows, monkeypatch)
    test_run_time_rows.test_packed_elements_are_moved_as_they_are(dtype, rng)
    assert seen


@pytest.mark.parametrize("view", [v for v, _ in test_run_time_index.ONE.values()],
                         ids=test_run_time_index.ONE)  # fmt: skip
@pytest.mark.parametrize("kind", ["register", "tile"])
def test_one_index(view, kind):
    @nki.jit
    def kernel(x, i):
        index = tile(i)
        if kind == "register":
            index = nisa.register_alloc()
            nisa.register_load(index, i)
        return result(view(x, index))

    agree(kernel, np.zeros((5, 3, 4), np.int32), ONE)


@pytest.mark.parametrize("mode", [nisa.oob_mode.skip, nisa.oob_mode.error])
@pytest.mark.parametrize("move", [test_run_time_rows.gather, test_run_time_rows.scatter])
@pytest.mark.parametrize("kind", [np.int32, np.uint8])
def test_a_vector_of_indices(move, mode, kind):
    rows = np.zeros((3, 1), kind)
    x, old = FLOATS, np.zeros((3, WIDTH), np.float32)
    if move is test_run_time_rows.scatter:
        x, old = old, x
    agree(move(mode), x, rows, old)


@pytest.mark.parametrize("partitions", [16, 32, 128])
def test_a_snake_of_indices(partitions):
    x, index = np.zeros((partitions, 64), np.float32), np.zeros((partitions, 2), np.uint32)
    agree(test_indirection.both_ways, x, index, on="trn3")


@pytest.mark.parametrize("kernel", [test_gathers.windows, test_gathers.patterns])
def test_local_gathers(kernel):
    agree(kernel, np.zeros((128, 20), np.float32), np.zeros((128, 4), np.uint16))


@given(nest=test_run_time.nests(3))
@settings(max_examples=40)
def test_nests_of_loops(nest):
    stops = np.array([[-1, 0, 1, 2, 3, 4]], np.int32)
    agree(test_run_time.built(nest), np.zeros((2, 4), np.float32), stops)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path, monkeypatch):
    """What an example runs is compared instead."""
    seen = []

    class Compared(Exception):
        """The example need not run."""

    def compare(kernel: Any, *_: Any, **options: Any) -> Any:
        def call(*arrays: Any) -> None:
            seen.append(agree(kernel, *arrays))
            raise Compared

        return call

    def of_one_rank(call: Any, ranks: int) -> Any:
        return lambda *each: call(*(a[0] if isinstance(a, list) else a for a in each))

    monkeypatch.setattr(nki, "simulate", compare)
    monkeypatch.setattr(opennki, "launch", of_one_rank)
    with pytest.raises(Compared):
        example(path).run(target="trn2", level="penguin")
    assert seen


# ---- several cores -------------------------------------------------------------------------------


def test_each_core_has_loops_of_its_own():
    made = agree(test_run_time.halves, FLOATS, np.zeros((ROWS, 1), np.int32), ONE, grid=2)
    assert [f.name for f in made.bir.functions] == ["halves_core0", "halves_core1"]


def test_cores_share_a_result():
    agree(test_run_time.permuted, FLOATS, np.zeros((ROWS, 1), np.int32), grid=2)


@nki.jit
def exchanged(x):
    """Cores exchange their halves by both ways, and meet."""
    core = nl.program_id(0)
    out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    mine, other, again = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf) for _ in range(3))
    nisa.dma_copy(mine, x)
    for pipe, dst, how in ((0, other, nisa.dma_engine.dma), (3, again, nisa.dma_engine.gpsimd_dma)):
        nisa.sendrecv(mine, dst, 1 - core, 1 - core, pipe, dma_engine=how)
    nisa.dma_copy(out[core], other)
    nisa.core_barrier(out, (0, 1))
    nisa.dma_copy(again, out[1 - core])
    nisa.dma_copy(out[core], again)
    return out


def test_cores_exchange_and_meet():
    made = agree(exchanged, FLOATS, grid=2)
    assert not klr.uses_extensions(made.klr)


@nki.jit
def together(x, group, pairs, rings):
    """Every collective that KLR has, and registers with ranks."""
    t, u, row = tile(x), tile(x), nl.ndarray((1, WIDTH), dtype=x.dtype, buffer=nl.sbuf)
    a, b = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) for _ in "ab")
    wide = nl.ndarray((2 * ROWS, WIDTH), dtype=x.dtype, buffer=nl.sbuf)
    long = nl.ndarray((ROWS, 2 * WIDTH), dtype=x.dtype, buffer=nl.sbuf)
    half = nl.ndarray((ROWS // 2, WIDTH), dtype=x.dtype, buffer=nl.sbuf)
    ncc.all_reduce(srcs=[t], dsts=[u], replica_group=group, op=nl.maximum)
    ncc.all_gather(srcs=[t], dsts=[wide], replica_group=group, collective_dim=0)
    ncc.all_gather(srcs=[t], dsts=[long], replica_group=group, collective_dim=1)
    ncc.reduce_scatter(srcs=[t], dsts=[half], replica_group=group, collective_dim=0, op=nl.add)
    nisa.dma_copy(a, t)
    ncc.all_to_all(srcs=[a], dsts=[b], replica_group=group, collective_dim=0)
    ncc.collective_permute(srcs=[b], dsts=[a], source_target_pairs=pairs)
    ncc.collective_permute_implicit([[t]], [[u]], rings)
    ncc.collective_permute_implicit_reduce([[t]], [[u]], [[u]], rings, nl.add)
    nisa.dma_copy(row, x[nl.ds(ncc.rank_id(), 1)])
    who = ncc.collective_permute_implicit_current_processing_rank_id(1, rings)
    nisa.dma_copy(row, x[nl.ds(who, 1)])
    return result(u)


def test_ranks_work_together():
    group = ncc.ReplicaGroup([[0, 1]])
    made = agree(together, FLOATS, group, [(0, 1), (1, 0)], group)
    kinds = [stmt.op.kind for block in made.klr.bodies[0] for stmt in block.body]
    assert [kind for kind in kinds if kind != "ncDmaCopy"] == [
        "allReduce", "allGather", "allGather", "reduceScatter", "allToAll", "collectivePermute",
        "collectivePermuteImplicit", "collectivePermuteImplicitReduce", "rankId",
        "currentProcessingRankId",
    ]  # fmt: skip
    assert not klr.uses_extensions(made.klr)


# ---- order ---------------------------------------------------------------------------------------


def ordered(where: str) -> Any:
    """A kernel with three instructions, whose order is kept, or said by edges, in a loop or not."""

    def step(t: Any) -> None:
        if where.startswith("region"):
            with nl.no_reorder():
                three(t)
                with nl.no_reorder():
                    three(t)
            three(t)
            return
        first, second, third = three(t)
        third.depends_on(first)
        if where.endswith("names"):
            third.depends_on(second)

    def three(t: Any) -> Any:
        names = dict.fromkeys("abc") if not where.endswith("names") else {n: n for n in "abc"}
        first = nisa.tensor_scalar(t, t, op0=nl.add, operand0=1.0, name=names["a"])
        second = nisa.tensor_tensor(t, t, t, op=nl.multiply, name=names["b"])
        return first, second, nisa.reciprocal(t, t, name=names["c"])

    @nki.jit
    def kernel(x, count):
        t = tile(x)
        if "loop" in where:
            trips = nisa.register_alloc()
            nisa.register_load(trips, count)
            for _ in nl.dynamic_range(trips):
                step(t)
        else:
            step(t)
        return result(t)

    return kernel


@pytest.mark.parametrize("where", [
    "region", "region in a loop", "edges", "edges with names", "edges in a loop",
    "edges in a loop with names",
])  # fmt: skip
def test_order_is_kept(where):
    made = agree(ordered(where), FLOATS, ONE)
    (function,) = made.bir.functions
    assert any(inst.dependencies for inst in function.instructions())


def test_edges_differ_between_cores():
    @nki.jit
    def kernel(x):
        t, core = tile(x), nl.program_id(0)
        first = nisa.tensor_scalar(t, t, op0=nl.add, operand0=1.0, name="first")
        second = nisa.reciprocal(t, t, name="second")
        third = nisa.reciprocal(t, t, name="third")
        third.depends_on(first)
        if core:
            third.depends_on(second)
        out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out[core], t)
        return out

    made = agree(kernel, FLOATS, grid=2)
    counts = [sum(len(i.dependencies) for i in f.instructions()) for f in made.bir.functions]
    assert counts == [1, 2]


# ---- sums in PSUM --------------------------------------------------------------------------------


@pytest.mark.parametrize("accumulate", [None, True, False])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("loop", ["range", "while", "nested"])
def test_products_add_up_in_loops(accumulate, before, inside, loop):
    @nki.jit
    def kernel(x, count):
        a = tile(x)
        acc = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.psum)
        out = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.sbuf)
        if before:
            nisa.nc_matmul(acc[:, 0:3], a, a[:, 0:3])
        trips = nisa.register_alloc()
        nisa.register_load(trips, count)

        def body():
            to = acc
            if inside:
                to = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.psum)
                nisa.nc_matmul(to, a, a)
            nisa.nc_matmul(to, a, a, accumulate=accumulate)
            nisa.tensor_copy(out, to)

        if loop == "while":
            while trips:
                body()
                nisa.register_load(trips, count)
        else:
            for i in nl.dynamic_range(trips):
                body()
                if loop == "nested":
                    for _ in nl.dynamic_range(i, trips, 2):
                        body()
        nisa.nc_matmul(acc, a, a)
        nisa.tensor_copy(out, acc)
        return result(out)

    agree(kernel, FLOATS, ONE)


@pytest.mark.parametrize("loop", ["range", "while", "nested"])
def test_tensors_that_nothing_uses_do_not_begin_anew(loop):
    made = agree(test_run_time.beside_idle_tensors(loop), FLOATS, ONE)
    assert "field Block.begins" not in klr.used_extensions(made.klr)
    assert klr.verify(made.klr) == []


def test_a_product_is_published():
    @nki.jit
    def kernel(x):
        a = tile(x)
        acc = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.psum)
        out = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.sbuf)
        nisa.nc_matmul(acc, a, a)
        nisa.tensor_copy(out, acc)
        return result(out)

    made = agree(kernel, FLOATS)
    assert not klr.uses_extensions(made.klr)
    assert read(write(made.klr)).format == PLAIN


# ---- every operand that may be found at run time -------------------------------------------------


def with_index(function: Function) -> bool:
    """Move windows of the instruction under test by an index; whether it has one that can be."""
    (at,) = [n for n, inst in enumerate(function.body) if not carries(inst)]
    inst: Any = function.body[at]
    fields = {name: getattr(inst, name) for name in inst.spec.order}
    place, windows = register("place"), {}
    for operand, view in inst.views():
        window = next(filter(None, (moved(view, place, k) for k in (3, 2, 1, 0))), None)
        if window is not None:
            windows[operand.name] = window
    for name, window in windows.items():
        put(fields, name, window)
    function.body[at] = copy_of(inst, fields)
    function.tensors["place"] = place
    move: Any = RegisterMove
    function.body.insert(0, move(dst=View.whole(place), src=0, engine=Engine.ALL))
    return bool(windows)


@pytest.mark.parametrize("cls", test_run_time_index.MOVABLE, ids=lambda cls: cls.__name__)
def test_operands_at_a_run_time_index(cls):
    count = 0
    for name in ("trn2", "trn3"):
        found = choices(cls, target(name))
        rnd = Random(f"{cls.__name__} {name}")
        for choice in rnd.sample(found, min(len(found), 15)):
            function = program_of([instance(cls, choice, target(name), rnd)], target(name))
            if with_index(function):
                count += 1
                wrong = difference(*both(function))
                assert wrong is None, f"{choice}: {wrong}"
    assert count
