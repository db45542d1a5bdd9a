"""Run-time loops: equal in every form, to NumPy, and to Python's own loops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiWarning
from opennki.testing.programs import RUNNERS

from .forms import ROWS, WIDTH, Array, check, result, tile

# ---- loops -------------------------------------------------------------------------------------


def rows_in_turn(x: Any, order: Any, count: Any) -> Any:
    """Sums of rows that are chosen one by one, in a loop whose trips come from a tensor."""
    total = nl.ndarray((1, WIDTH), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(total, 0.0)
    trips = nisa.register_alloc()
    nisa.register_load(trips, count)
    chosen = tile(order)
    sums = result(x)
    for i in nl.dynamic_range(trips):
        row = nisa.register_alloc()
        nisa.register_load(row, chosen[:, i])
        one = nl.ndarray((1, WIDTH), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(one, x[nl.ds(row, 1)])
        nisa.tensor_tensor(total, total, one, op=nl.add)
        nisa.dma_copy(sums[nl.ds(i, 1)], total)
    return sums


def test_trips_and_rows_come_from_tensors(rng):
    x = rng.integers(-9, 9, (ROWS, WIDTH)).astype(np.float32)
    order = rng.integers(0, ROWS, (1, ROWS)).astype(np.int32)
    for count in (0, 1, 5, ROWS):
        want = x.copy()
        want[:count] = np.cumsum(x[order[0, :count]], axis=0)
        check(nki.jit(rows_in_turn), [x, order, np.array([[count]], np.int32)], want)


Nest = list[tuple[str, tuple[int, int, int] | int, Any]]


@st.composite
def nests(draw: Any, depth: int) -> Nest:
    """Loops inside each other with things that they do: kind, range or operation, body."""
    made: Nest = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["do", "do", "range", "fori", "while"])) if depth else "do"
        if kind == "do":
            made.append((kind, draw(st.integers(0, 4)), None))
        else:
            ends = draw(st.integers(-1, 2)), draw(st.integers(-1, 4)), draw(st.integers(1, 2))
            made.append((kind, ends, draw(nests(depth - 1))))
    return made


def built(nest: Nest) -> Any:
    """The kernel that a nest describes."""

    @nki.jit
    def kernel(x, stops):
        acc, other = tile(x), tile(x)
        held = tile(stops)
        out = result(x)
        body(nest, acc, other, held, out, None)
        nisa.dma_copy(out[0:1], acc[0:1])
        return out

    def body(items, acc, other, held, out, index):
        for kind, what, inner in items:
            if kind == "do":
                step(what, acc, other, out, index)
                continue
            start, stop, size = what
            end = nisa.register_alloc()
            nisa.register_load(end, held[0:1, stop + 1 : stop + 2])
            if kind == "range":
                for i in nl.dynamic_range(start, end, size):
                    body(inner, acc, other, held, out, i)
            elif kind == "fori":
                nl.fori_loop(
                    start, end, lambda i, inner=inner: body(inner, acc, other, held, out, i), size
                )
            else:
                left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
                nisa.memset(left, len(range(start, stop, size)))
                nisa.register_load(end, left)
                while end:
                    body(inner, acc, other, held, out, index)
                    nisa.tensor_scalar(left, left, op0=nl.subtract, operand0=1)
                    nisa.register_load(end, left)

    def step(what, acc, other, out, index):
        if what == 0:
            nisa.tensor_scalar(acc, acc, op0=nl.add, operand0=1.0)
        elif what == 1:
            nisa.tensor_copy(other[:, 0:3], acc[:, 1:4])
        elif what == 2:
            mine = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.sbuf)
            nisa.tensor_scalar(mine, other, op0=nl.multiply, operand0=0.5)
            nisa.tensor_tensor(acc, acc, mine, op=nl.subtract)
        elif what == 3:
            nisa.dma_copy(out[1:2], other[1:2])
            nisa.dma_copy(other[0:1], out[1:2])
        elif index is not None:
            safe = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.register_store(safe, index)
            nisa.tensor_scalar(safe, safe, op0=nl.maximum, operand0=0)
            nisa.tensor_copy(other[:, nl.ds(safe, 1)], acc[:, 3:4])

    return kernel


def reference(nest: Nest, x: Array) -> Array:
    """The same in NumPy, with Python's range."""
    acc, other, out = x.copy(), x.copy(), x.copy()

    def body(items, index):
        nonlocal acc
        for kind, what, inner in items:
            if kind == "do":
                if what == 0:
                    acc += 1
                elif what == 1:
                    other[:, 0:3] = acc[:, 1:4].copy()
                elif what == 2:
                    acc = acc - other * np.float32(0.5)
                elif what == 3:
                    out[1] = other[1]
                    other[0] = out[1]
                elif index is not None:
                    other[:, max(index, 0)] = acc[:, 3]
                continue
            for i in range(*what):
                body(inner, index if kind == "while" else i)

    body(nest, None)
    out[0] = acc[0]
    return out


@given(nest=nests(3))
@settings(max_examples=60)
def test_nests_of_loops_are_those_of_python(nest):
    x = np.random.default_rng(5).integers(-9, 9, (2, 4)).astype(np.float32)
    stops = np.array([[-1, 0, 1, 2, 3, 4]], np.int32)
    check(built(nest), [x, stops], reference(nest, x))


# ---- tensors that nothing uses -----------------------------------------------------------------


def beside_idle_tensors(loop: str) -> Any:
    """Sums three products in PSUM; each trip makes a tensor there that nothing uses."""

    @nki.jit
    def kernel(x, count):
        a = tile(x)
        acc = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.psum)
        left = tile(count)
        trips = nisa.register_alloc()
        nisa.register_load(trips, left)

        def body():
            nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.psum, name="idle")
            nisa.nc_matmul(acc, a, a)

        if loop == "while":
            while trips:
                body()
                nisa.tensor_scalar(left, left, op0=nl.subtract, operand0=1)
                nisa.register_load(trips, left)
        elif loop == "nested":
            for _ in nl.dynamic_range(1):
                nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.psum)
                for _ in nl.dynamic_range(trips):
                    body()
        else:
            for _ in nl.dynamic_range(trips):
                body()
        out = nl.ndarray((WIDTH, WIDTH), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(out, acc)
        return result(out)

    return kernel


@pytest.mark.parametrize("loop", ["range", "while", "nested"])
@pytest.mark.parametrize(("frontend", "level"), [
    ("beta3", "penguin"), ("beta3", "bir"), ("beta3", "program"), ("beta2", "bir"),
    ("beta2", "program"),
])  # fmt: skip
def test_what_nothing_uses_spoils_nothing_that_shares_its_place(loop, frontend, level, rng):
    x = rng.integers(-9, 9, (ROWS, WIDTH)).astype(np.float32)
    run = nki.simulate(beside_idle_tensors(loop), target="trn2", level=level, frontend=frontend)
    np.testing.assert_array_equal(run(x, np.array([[3]], np.int32)), 3 * x.T @ x)


# ---- several programs --------------------------------------------------------------------------


@nki.jit
def halves(x, rows, count):
    """Each program gathers the rows of its half in a loop."""
    core = nl.program_id(0)
    size = x.shape[0] // nl.num_programs(0)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    trips = nisa.register_alloc()
    nisa.register_load(trips, count)
    held = tile(rows[core * size : (core + 1) * size])
    for _ in nl.dynamic_range(trips):
        t = nl.ndarray((size, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(t, x.vector_select(0, held))
        nisa.dma_copy(out[core * size : (core + 1) * size], t)
    return out


@nki.jit
def permuted(x, rows):
    """Each program scatters its half to rows of a result that both share."""
    core = nl.program_id(0)
    size = x.shape[0] // nl.num_programs(0)
    mine = slice(core * size, (core + 1) * size)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(out.vector_select(0, tile(rows[mine])), tile(x[mine]))
    return out


@pytest.mark.parametrize("level", RUNNERS)
def test_programs_of_a_launch_have_loops_of_their_own(level, rng):
    x = rng.standard_normal((ROWS, WIDTH)).astype(np.float32)
    rows = rng.permutation(ROWS).reshape(ROWS, 1).astype(np.int32)
    got = nki.simulate(halves[2], target="trn2", level=level)(x, rows, np.array([[2]], np.int32))
    np.testing.assert_array_equal(got, x[rows[:, 0]])


@pytest.mark.parametrize("level", RUNNERS)
def test_scattered_rows_race_only_where_they_meet(level, rng):
    x = rng.standard_normal((ROWS, WIDTH)).astype(np.float32)
    rows = rng.permutation(ROWS).reshape(ROWS, 1).astype(np.int32)
    want = np.empty_like(x)
    want[rows[:, 0]] = x
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = nki.simulate(permuted[2], target="trn2", level=level)(x, rows)
    np.testing.assert_array_equal(got, want)
    rows[0] = rows[-1]
    with pytest.warns(NkiWarning, match="NKI6008"):
        nki.simulate(permuted[2], target="trn2", level=level)(x, rows)
