"""Loops that are traced once: what they become, and what running them takes."""

from __future__ import annotations

import gc
import tracemalloc
import warnings

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
from opennki.base.diag import NkiError, NkiWarning
from opennki.driver import Request, defaults
from opennki.driver import simulate as simulation
from opennki.driver.compiled import compile_kernel
from opennki.penguin import Loop

X = np.random.default_rng(1).standard_normal((128, 64)).astype(np.float32)


def compiled(kernel, *args, **options):
    with defaults(Request(**options)):
        return compile_kernel(kernel.fn, args, {}, kernel.request.resolve())


def loops_of(kernel, *args):
    """The loops of a kernel, outermost first, each as kind, start, stop and step."""
    found = []

    def look(body):
        for item in body:
            if isinstance(item, Loop):
                var = item.var
                found.append((item.kind.value, var.start, var.stop, var.step))
                look(item.body)

    look(compiled(kernel, *args).penguin[0].body)
    return found


def test_a_body_is_traced_once():
    bodies = []

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(8):
            bodies.append(i)
            nl.store(out[i * 16 : (i + 1) * 16], nl.load(x[i * 16 : (i + 1) * 16]))
        return out

    assert loops_of(kernel, X) == [("affine", 0, 8, 1)]
    assert len(bodies) == 1
    np.testing.assert_array_equal(kernel(X), X)


def test_loops_may_count_down_and_in_steps():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.sequential_range(112, -1, -16):
            nl.store(out[i : i + 16], nl.load(x[i : i + 16]))
        return out

    assert loops_of(kernel, X) == [("sequential", 112, -1, -16)]
    np.testing.assert_array_equal(kernel(X), X)


def test_a_mask_that_cuts_the_last_trip_splits_the_loop():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        p, f = nl.arange(24)[:, None], nl.arange(64)[None, :]
        for i in nl.affine_range(6):
            tile = nl.load(x[i * 24 + p, f], mask=(i * 24 + p < 128))
            nl.store(out[i * 24 + p, f], tile, mask=(i * 24 + p < 128))
        return out

    assert loops_of(kernel, X) == [("affine", 0, 5, 1)]
    np.testing.assert_array_equal(kernel(X), X)


@pytest.mark.parametrize("unroll", [False, True])
def test_what_is_not_affine_is_traced_trip_by_trip(unroll):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(4):
            row, column = i // 2, i % 2
            at = slice(row * 64, row * 64 + 64), slice(column * 32, column * 32 + 32)
            nl.store(out[at], nl.load(x[at]))
        return out

    with defaults(Request(unroll=unroll)):
        np.testing.assert_array_equal(kernel(X), X)


def test_a_product_of_two_indices_is_traced_trip_by_trip():
    @nki.jit
    def kernel(x):
        out = nl.ndarray((3, 3, 1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(3):
            for j in nl.affine_range(3):
                nl.store(out[i, j], nl.load(x[i * j : i * j + 1]))
        return out

    want = np.stack([[X[i * j : i * j + 1] for j in range(3)] for i in range(3)])
    np.testing.assert_array_equal(kernel(X), want)


def test_bounds_may_be_outer_indices():
    @nki.jit
    def kernel(x):
        out = nl.ndarray((16, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.zeros((16, 64), dtype=x.dtype, buffer=nl.sbuf))
        for i in nl.affine_range(4):
            for j in nl.affine_range(i, 4):
                nl.store(out[i * 4 + j : i * 4 + j + 1], nl.load(x[j : j + 1]))
        return out

    want = np.zeros((4, 4, 64), np.float32)
    for i in range(4):
        want[i, i:] = X[i:4]
    np.testing.assert_array_equal(kernel(X), want.reshape(16, 64))


@pytest.mark.parametrize("unroll", [False, True])
def test_a_body_that_is_left_early_is_one_trip(unroll):
    def first(x, out):
        for i in nl.sequential_range(4):
            nl.store(out[i * 16 : (i + 1) * 16], nl.load(x[i * 16 : (i + 1) * 16]))
            return

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.zeros(x.shape, dtype=x.dtype, buffer=nl.sbuf))
        first(x, out)
        for i in nl.affine_range(4):
            nl.store(out[64 + i * 16 : 80 + i * 16], nl.load(x[i * 16 : (i + 1) * 16]))
            break
        return out

    want = np.zeros_like(X)
    want[:16] = want[64:80] = X[:16]
    with defaults(Request(unroll=unroll)):
        np.testing.assert_array_equal(kernel(X), want)


def test_an_exception_in_a_body_reaches_the_kernel():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        try:
            for _i in nl.affine_range(8):
                nl.store(out, nl.load(x))
                raise KeyError("enough")
        except KeyError:
            return out

    np.testing.assert_array_equal(kernel(X), X)


def test_step_mode_runs_every_trip_when_it_is_traced():
    seen = []

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(2):
            tile = nl.load(x[i * 64 : (i + 1) * 64])
            seen.append("\n" in repr(tile))
            nl.store(out[i * 64 : (i + 1) * 64], tile)
        return out

    with defaults(Request(step=True)):
        found = kernel(X)
    assert seen == [True, True]
    np.testing.assert_array_equal(found, X)


def test_iterations_of_another_loop_kind_may_write_one_place():
    @nki.jit
    def kernel(x):
        out = nl.ndarray((16, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.sequential_range(8):
            nl.store(out, nl.load(x[i * 16 : (i + 1) * 16]))
        return out

    np.testing.assert_array_equal(kernel(X), X[112:])


def test_an_output_that_no_trip_writes_names_the_loop_and_its_trips():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for row in nl.affine_range(x.shape[0] // 256):
            nl.store(out[row * 256 : (row + 1) * 256], nl.load(x))
        return out

    with pytest.raises(NkiError) as caught:
        kernel(X)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI1016"
    assert found.notes == [f"the loop over `row` on line {found.line + 1} has 0 trips"]


def counted(trips):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((1, 64), dtype=x.dtype, buffer=nl.sbuf)
        for _i in nl.sequential_range(trips):
            total += nl.load(x[0:1])
        nl.store(out, total)
        return out

    return kernel


def peak(trips, level):
    """Bytes at the height of running that many trips."""
    made = compiled(counted(trips), X, level=level)
    gc.collect()
    tracemalloc.start()
    made.run(X)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_loops_are_simulated_without_being_expanded():
    peak(2000, "penguin")  # Python keeps up to 2000 tuples for others
    grown = peak(4000, "penguin") - peak(2000, "penguin")
    assert grown < 20_000  # expanded, it would be more than a megabyte


def test_a_program_that_would_be_huge_is_run_as_loops(monkeypatch):
    monkeypatch.setattr(simulation, "MOST_INSTRUCTIONS", 50)
    with pytest.warns(NkiWarning, match=r"NKI1099.*stand for 122 instructions, more than 50"):
        found = counted(60)(X)
    np.testing.assert_allclose(found, 60 * X[:1], rtol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with defaults(Request(level="program")):
            counted(60)(X)


@pytest.mark.parametrize("options", [{}, {"unroll": True}, {"frontend": "beta2"}], ids=str)
def test_names_that_an_author_gives_in_a_body_are_good_for_all_trips(options):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        p, f = nl.arange(48)[:, None], nl.arange(64)[None, :]
        for i in nl.affine_range(3):
            tile = nl.ndarray((48, 64), dtype=x.dtype, buffer=nl.sbuf, name="tile")
            tile[...] = nl.load(x[i * 48 + p, f], mask=(i * 48 + p < 128))
            nl.store(out[i * 48 + p, f], tile, mask=(i * 48 + p < 128))
        return out

    with defaults(Request(**options)):
        np.testing.assert_array_equal(kernel(X), X)


def test_a_name_that_another_line_gave_is_numbered():
    @nki.jit
    def kernel(x):
        first = nl.ndarray((48, 64), dtype=x.dtype, buffer=nl.sbuf, name="tile")
        second = nl.ndarray((48, 64), dtype=x.dtype, buffer=nl.sbuf, name="tile")
        first[...] = nl.load(x[0:48])
        second[...] = nl.load(x[48:96])
        out = nl.ndarray((96, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out[0:48], second)
        nl.store(out[48:96], first)
        return out

    np.testing.assert_array_equal(kernel(X), np.concatenate([X[48:96], X[:48]]))
