"""Sums of products in PSUM: which product overwrites and which adds, whatever loops are around."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from opennki.driver import Request, defaults
from opennki.driver.compiled import compile_kernel

MODES = [
    {"level": "penguin"}, {"level": "bir"}, {"level": "program"},
    {"level": "penguin", "unroll": True}, {"frontend": "beta2"},
]  # fmt: skip
"""Levels, the loops unrolled, and the other road."""

RNG = np.random.default_rng(5)
X = RNG.integers(-3, 4, (9, 4, 4)).astype(np.float32)
Y = RNG.integers(-3, 4, (9, 4, 6)).astype(np.float32)


def check(kernel, want, *arrays, **options):
    """`kernel` gives `want`, without a warning."""
    with defaults(Request(**options)), warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(kernel(*arrays), want)


@st.composite
def sums(draw):
    """Trips of loops; how many are around the sum; its blocks; products.

    A product adds to columns `start` to `start + width` of the block that the index of the loop
    `moving` says, or of the first one.
    """
    trips = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    outside = draw(st.integers(0, len(trips) - 1))
    blocks = draw(st.sampled_from([1, 3]))
    products = []
    for _ in range(draw(st.integers(1, 3))):
        width = draw(st.sampled_from([6, 6, 3, 2]))
        start = draw(st.integers(0, 6 - width))
        moving = draw(st.integers(outside, len(trips))) if blocks == 3 else len(trips)
        products.append((start, width, moving))
    return trips, outside, blocks, tuple(products)


def summed(spec, x, y):
    """What the kernel of `traced` gives, for all trips of the loops around the sum."""
    trips, outside, blocks, products = spec
    out = np.zeros((9, blocks * 4, 6), np.float32)
    for at, before in enumerate(product(*map(range, trips[:outside]))):
        acc = np.zeros((blocks, 4, 6), np.float32)
        for inside in product(*map(range, trips[outside:])):
            indices = (*before, *inside)
            for start, width, moving in products:
                block = indices[moving] if moving < len(indices) else 0
                found = x[sum(indices)].T @ y[sum(indices)]
                acc[block, :, start : start + width] += found[:, start : start + width]
        out[at] = acc.reshape(-1, 6)
    return out


def traced(spec):
    """The kernel of `spec`."""
    trips, outside, blocks, products = spec

    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((9, blocks * 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(9):
            for b in nl.affine_range(blocks):
                nl.store(out[i, 4 * b : 4 * b + 4], nl.zeros((4, 6), x.dtype, buffer=nl.sbuf))

        def add(acc, indices):
            total = sum(indices)
            a, b = nl.load(x[total]), nl.load(y[total])
            for start, width, moving in products:
                block = indices[moving] if moving < len(indices) else 0
                found = nisa.nc_matmul(a, b[:, start : start + width])
                acc[block, :, start : start + width] += found

        def nest(acc, indices):
            depth = len(indices)
            if depth == outside:
                shape = (blocks, nl.par_dim(4), 6)
                acc = nl.ndarray(shape, dtype=nl.float32, buffer=nl.psum)
                for b in nl.affine_range(blocks):
                    acc[b] = 0  # what no product writes
            if depth == len(trips):
                add(acc, indices)
            else:
                for i in nl.affine_range(trips[depth]):
                    nest(acc, (*indices, i))
            if depth == outside:
                at = sum(n * int(np.prod(trips[k + 1 : outside])) for k, n in enumerate(indices))
                for b in nl.affine_range(blocks):
                    nl.store(out[at, 4 * b : 4 * b + 4], acc[b])

        nest(None, ())
        return out

    return kernel


@settings(max_examples=60, deadline=None)
@given(sums())
def test_sums_in_nested_loops_are_those_of_python(spec):
    want = summed(spec, X, Y)
    for options in MODES:
        check(traced(spec), want, X, Y, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_a_product_in_every_trip_is_a_new_tile(options):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((9, 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(9):
            nl.store(out[i], nl.copy(nisa.nc_matmul(nl.load(x[i]), nl.load(y[i]))))
        return out

    check(kernel, np.einsum("ikm,ikn->imn", X, Y), X, Y, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_a_product_may_be_used_twice(options):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((3, 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        one = nl.zeros((4, 6), nl.float32, buffer=nl.psum)
        two = nl.zeros((4, 6), nl.float32, buffer=nl.psum)
        last = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
        for i in nl.sequential_range(9):
            found = nisa.nc_matmul(nl.load(x[i]), nl.load(y[i]))
            one += found
            two += found
            last[...] = found
        for k, tile in enumerate((one, two, last)):
            nl.store(out[k], tile)
        return out

    each = np.einsum("ikm,ikn->imn", X, Y)
    check(kernel, np.stack([each.sum(0), each.sum(0), each[8]]), X, Y, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_a_product_that_was_read_before_is_added_by_itself(options):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((2, 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((4, 6), nl.float32, buffer=nl.psum)
        found = nisa.nc_matmul(nl.load(x[0]), nl.load(y[0]))
        nl.store(out[0], nl.multiply(found, 2.0))
        total += found
        nl.store(out[1], total)
        return out

    one = X[0].T @ Y[0]
    check(kernel, np.stack([2 * one, one]), X, Y, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_tiles_in_sbuf_are_added_to_in_loops(options):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((4, 6), nl.float32, buffer=nl.sbuf)
        for i in nl.affine_range(3):
            for j in nl.affine_range(3):
                total += nl.load(y[3 * i + j])
                total[...] += nisa.nc_matmul(nl.load(x[3 * i + j]), nl.load(y[3 * i + j]))
        nl.store(out, total)
        return out

    check(kernel, np.einsum("ikm,ikn->mn", X, Y) + Y.sum(0), X, Y, **options)


def test_instructions_of_a_sum_say_what_they_do():
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((4, 6), nl.float32, buffer=nl.psum)
        for i in nl.affine_range(9):
            total += nisa.nc_matmul(nl.load(x[i]), nl.load(y[i]))
        nl.store(out, total)
        return out

    function = compile_kernel(kernel.fn, (X, Y), {}, kernel.request.resolve()).penguin[0]
    flags = [i.accumulate for i in function.instructions() if hasattr(i, "accumulate")]
    assert flags == [False, True]
