"""Tensors of the first generation: windows, blocks, scopes, assignment."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
from opennki.base.diag import NkiError
from opennki.driver import Request, defaults

from .test_sums import MODES

X = np.random.default_rng(2).standard_normal((128, 64)).astype(np.float32)


def check(kernel, want, *arrays, **options):
    """`kernel` gives `want`, without a warning."""
    with defaults(Request(**options)), warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(kernel(*arrays), want)


def refused(kernel, *arrays, **options):
    """Code and line, from the kernel's first, of what a kernel is refused for."""
    with pytest.raises(NkiError) as caught, defaults(Request(**options)):
        kernel(*arrays)
    first = kernel.fn.__code__.co_firstlineno
    return [(d.code.id, d.line - first) for d in caught.value.diagnostics]


def stored(index, shape):
    """A kernel that stores what `index` selects of its array."""

    @nki.jit
    def kernel(x):
        out = nl.ndarray(shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(index(x)))
        return out

    return kernel


@pytest.mark.parametrize(
    "index",
    [
        lambda x: x[0:64], lambda x: x[64:], lambda x: x[-32:], lambda x: x[:, 3:9],
        lambda x: x[0:128:2, ::3], lambda x: x[5:6], lambda x: x[..., 1:4], lambda x: x[:-100, 0:1],
    ],
)  # fmt: skip
def test_slices_are_those_of_numpy(index):
    want = index(X)
    check(stored(index, want.shape), want, X)


@pytest.mark.parametrize(
    "index",
    [
        lambda x, a: x[a(32)[:, None], a(64)[None, :]],
        lambda x, a: x[2 * a(32)[:, None] + 1, 63 - a(64)[None, :]],
        lambda x, a: x[a(32)[:, None] + a(8)[None, :], a(8)[None, :]],
        lambda x, a: x[a(4)[:, None, None] * 8 + a(8)[None, :, None], a(5)[None, None, :]],
        lambda x, a: x[5, a(8)[:, None] + a(8)[None, :]],
    ],
)
def test_index_expressions_are_those_of_numpy(index):
    want = index(X, np.arange)
    check(stored(lambda x: index(x, nl.arange), want.shape), want, X)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_blocks_are_tiles_of_their_own(options):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray((2, 2, nl.par_dim(32), 64), dtype=x.dtype, buffer=nl.sbuf)
        for i in nl.affine_range(2):
            for j in nl.affine_range(2):
                tiles[i, j] = nl.load(x[64 * i + 32 * j : 64 * i + 32 * j + 32])
        for i in nl.affine_range(2):
            for j in nl.affine_range(2):
                nl.store(out[64 * i + 32 * j : 64 * i + 32 * j + 32], tiles[1 - i, j, 0:32, :])
        return out

    check(kernel, np.concatenate([X[64:], X[:64]]), X, **options)


def test_one_block_is_a_tile():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray((1, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)
        tiles[0] = nl.load(x)
        nl.store(out, nl.multiply(tiles[0:1][0], 2.0))
        return out

    check(kernel, 2 * X, X)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_assignment_repeats_single_elements(options):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        tile[...] = nl.load(x[:, 5:6])
        tile[0:32, 0:8] = 3.0
        nl.store(out, tile)
        return out

    want = np.repeat(X[:, 5:6], 64, 1)
    want[0:32, 0:8] = 3
    check(kernel, want, X, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_assignment_writes_what_a_mask_left(options):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((3, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
        p, f = nl.arange(128)[:, None], nl.arange(64)[None, :]
        tile = nl.full(x.shape, 7.0, dtype=x.dtype, buffer=nl.sbuf)
        tile[...] = nl.load(x[p, f], mask=(p < 100) & (f >= 8))
        nl.store(out[0], tile)
        tile[...] = nl.exp(nl.load(x), mask=(f > 64))
        nl.store(out[1], tile)
        tile[...] = nl.multiply(nl.load(x), 2.0, mask=(p >= 2 * f))
        nl.store(out[2], tile)
        return out

    first = np.full_like(X, 7)
    first[:100, 8:] = X[:100, 8:]
    p, f = np.mgrid[0:128, 0:64]
    check(kernel, np.stack([first, first, np.where(p >= 2 * f, 2 * X, first)]), X, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_a_triangle_is_loaded_computed_and_stored(options):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.zeros((64, 64), dtype=x.dtype, buffer=nl.sbuf))
        p, f = nl.arange(64)[:, None], nl.arange(64)[None, :]
        lower = nl.load(x[p, f], mask=(p >= f))
        nl.store(out[p, f], nl.add(nl.abs(lower, mask=(p >= f)), 1.0, mask=(p >= f)), mask=(p >= f))
        return out

    check(kernel, np.tril(np.abs(X[:64]) + 1), X, **options)


@pytest.mark.parametrize("unroll", [False, True])
def test_tiles_live_as_long_as_their_trip(unroll):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        kept = []
        for _ in nl.affine_range(2):
            kept.append(nl.load(x))
            for _ in nl.affine_range(2):
                inner = nl.exp(kept[-1])
            nl.store(out, inner)
        return out

    assert refused(kernel, X, unroll=unroll)[0] == ("NKI1090", 8)


@pytest.mark.parametrize("unroll", [False, True])
def test_a_name_may_be_bound_anew_where_it_is_written_first(unroll):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x)
        nl.store(out, tile)
        for i in nl.sequential_range(2):
            tile = nl.load(x[64 * i : 64 * i + 64])
            nl.store(out[64 * i : 64 * i + 64], tile)
        return out

    check(kernel, X, X, unroll=unroll)


@pytest.mark.parametrize("unroll", [False, True])
def test_a_name_may_not_carry_a_new_tile_to_the_next_trip(unroll):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.load(x)
        for _ in nl.sequential_range(3):
            doubled = nl.add(total, total)
            total = nl.copy(doubled)
        nl.store(out, total)
        return out

    assert refused(kernel, X, unroll=unroll) == [("NKI1092", 6)]


def test_windows_that_leave_their_tensor_are_refused_when_they_are_used():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x)
        for i in nl.affine_range(3):
            part = tile[:, i * 24 : i * 24 + 24]
            nisa.tensor_tensor(part, part, op=nl.add)
        nl.store(out, tile)
        return out

    assert refused(kernel, X) == [("NKI3040", 6)]


def test_parameters_are_mutable_by_annotation_or_where_nothing_is_returned():
    @nki.jit
    def returning(x: nt.mutable_tensor):
        nl.store(x, nl.multiply(nl.load(x), 2.0))
        return x

    @nki.jit
    def writing(x, y):
        nl.store(y, nl.multiply(nl.load(x), 2.0))

    x, y = X.copy(), np.zeros_like(X)
    np.testing.assert_array_equal(returning(x), 2 * X)
    writing(X, y)
    np.testing.assert_array_equal(y, 2 * X)


def test_annotations_are_compared_where_they_are_known():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        rows = 128
        tile: nt.tensor[rows, 64] = nl.load(x)
        column: nt.tensor[nl.tile_size.pmax, 1] = nl.copy(
            nl.exp(tile)[:, 0:1],
        )
        unknown: nt.tensor[rows + 1, 64] = nl.copy(tile)
        other: nt.tensor = nl.copy(unknown)
        nl.store(out, nl.add(other, nl.multiply(column, 0.0)))
        return out

    check(kernel, X, X)
