"""Sums of products in PSUM over the trips of run-time loops."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

from .looping import FORMS, first, loaded, result, run, tile

# ---- sums in PSUM ----------------------------------------------------------------------------


def products(accumulate, trips, *, clear=False, inside=False):
    """A kernel that multiplies `trips` times into one tile of PSUM, and how often it adds."""

    @nki.jit
    def kernel(x, n):
        a, b = tile(1.0, (4, 2)), tile(1.0, (4, 2))
        out = tile(-1.0, (2, 2))
        acc = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
        if clear:
            nisa.nc_matmul(acc, a, b, accumulate=False)
        for _ in nl.dynamic_range(loaded(n)):
            if inside:
                acc = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
                nisa.nc_matmul(acc, a, b)
            nisa.nc_matmul(acc, a, b, accumulate=accumulate)
            nisa.tensor_copy(out, acc)
        return result(out)

    return [first(kernel, trips, level=level) for level in RUNNERS]


@pytest.mark.parametrize(
    ("accumulate", "first_product", "want"),
    [(None, False, 12), (None, True, 16), (True, True, 16), (False, False, 4), (False, True, 4)],
)
def test_products_add_up_over_trips(accumulate, first_product, want):
    assert products(accumulate, 3, clear=first_product) == [want] * 3


def test_a_tile_of_the_body_begins_anew_in_every_trip():
    assert products(None, 3, inside=True) == [8, 8, 8]
    assert products(True, 3, inside=True) == [8, 8, 8]


def test_a_loop_without_trips_writes_nothing():
    assert products(None, 0) == [-1, -1, -1]


@pytest.mark.parametrize("level", RUNNERS)
def test_a_product_after_a_loop_that_may_not_have_run(level):
    @nki.jit
    def kernel(x, n):
        a, b = tile(1.0, (4, 2)), tile(1.0, (4, 2))
        acc = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
        nl.fori_loop(0, loaded(n), lambda i: nisa.nc_matmul(acc, a, b) and None)
        nisa.nc_matmul(acc, a, b)
        out = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(out, acc)
        return result(out)

    assert [first(kernel, n, level=level) for n in (0, 1, 2)] == [4, 8, 12]


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("inner", FORMS)
def test_a_tile_per_trip_collects_the_products_of_an_inner_loop(inner, level):
    @nki.jit
    def kernel(x, n, m):
        a, b = tile(1.0, (4, 2)), tile(1.0, (4, 2))
        total, count = tile(0.0, (2, 2)), loaded(m)
        for _ in nl.dynamic_range(loaded(n)):
            acc = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
            inner(count, lambda j, acc=acc: nisa.nc_matmul(acc, a, b) and None)
            nisa.nc_matmul(acc, a, b)
            nisa.tensor_tensor(total, total, acc, op=nl.add)
        return result(total)

    assert first(kernel, 3, 2, level=level) == 3 * 12
    assert first(kernel, 3, 0, level=level) == 3 * 4


@pytest.mark.parametrize("level", RUNNERS)
def test_a_tile_that_was_partly_written_adds_where_it_was(level):
    @nki.jit
    def kernel(x, n):
        a, b = tile(1.0, (4, 2)), tile(1.0, (4, 4))
        total = tile(0.0, (2, 4))
        for _ in nl.dynamic_range(loaded(n)):
            acc = tile(5.0, (2, 4), buffer=nl.psum)
            nisa.nc_matmul(acc[:, 0:2], a, b[:, 0:2])
            nisa.nc_matmul(acc, a, b)
            nisa.tensor_tensor(total, total, acc, op=nl.add)
        return result(total)

    np.testing.assert_array_equal(run(kernel, 3, level=level)[0], [24, 24, 12, 12])


@pytest.mark.parametrize("level", RUNNERS)
def test_the_first_product_of_a_loop_overwrites_what_memset_left(level):
    @nki.jit
    def kernel(x, n):
        a, b = tile(1.0, (4, 2)), tile(1.0, (4, 2))
        acc, out = tile(5.0, (2, 2), buffer=nl.psum), tile(0.0, (2, 2))
        nl.fori_loop(0, loaded(n), lambda i: nisa.nc_matmul(acc, a, b) and None)
        nisa.tensor_copy(out, acc)
        return result(out)

    assert [first(kernel, n, level=level) for n in (0, 1, 3)] == [5, 4, 12]
