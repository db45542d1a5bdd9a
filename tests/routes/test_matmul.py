"""Every mode of `nc_matmul` in a kernel, at every level."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

BF16 = ml_dtypes.bfloat16
at_every_level = pytest.mark.parametrize("level", RUNNERS)


def loaded(x, **more):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf, **more)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def stored(psum):
    out = nl.ndarray(psum.shape, dtype=psum.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(psum.shape, dtype=psum.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=psum)
    nisa.dma_copy(dst=out, src=tile)
    return out


def summed(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.psum)


@nki.jit
def quarters(w, x):
    """Four products, each in its own rows and columns of the array."""
    left, right = loaded(w), loaded(x)
    found = []
    for i in range(4):
        acc = summed(32, x.shape[1])
        part = nl.ds(32 * i, 32)
        nisa.nc_matmul(
            acc, left[part, part], right[part, :], tile_position=(32 * i, 32 * i),
            tile_size=(32, 32),
        )  # fmt: skip
        found.append(stored(acc))
    return tuple(found)


@at_every_level
def test_row_and_column_tiles_change_no_values(level, rng):
    w, x = rng.integers(-4, 5, (2, 128, 128)).astype(BF16)
    got = nki.simulate(quarters, target="trn2", level=level)(w, x)
    for i, part in enumerate(got):
        rows = slice(32 * i, 32 * i + 32)
        left, right = w[rows, rows].astype(np.float32), x[rows].astype(np.float32)
        np.testing.assert_array_equal(part, left.T @ right)


@nki.jit
def pairs(w, x, mode, size, position):
    """A double_row product of the lower half of the array."""
    left, right = loaded(w), loaded(x)
    acc = summed(w.shape[2], x.shape[2])
    nisa.nc_matmul(acc, left, right, perf_mode=mode, tile_size=size, tile_position=position)
    return stored(acc)


@at_every_level
@pytest.mark.parametrize("mode", [nisa.matmul_perf_mode.double_row, "double_row"])
def test_double_row_contracts_the_first_free_dimension(level, mode, rng):
    """Published shapes: [128, 2, 1] by [128, 2, 3]; and a tile of rows with 128 by 512 columns."""
    for k, m, n in ((128, 1, 3), (64, 128, 512)):
        w = rng.integers(-4, 5, (k, 2, m)).astype(ml_dtypes.float8_e4m3)
        x = rng.integers(-4, 5, (k, 2, n)).astype(ml_dtypes.float8_e5m2)
        tile = ((64, 128), (64, 0)) if k == 64 else ((), ())
        got = nki.simulate(pairs, target="trn2", level=level)(w, x, mode, *tile)
        want = np.einsum("kjm,kjn->mn", w.astype(np.float32), x.astype(np.float32))
        np.testing.assert_array_equal(got, want)


@at_every_level
def test_a_mode_that_is_spelled_none_is_none(level, rng):
    w, x = rng.integers(-4, 5, (2, 128, 1, 32)).astype(BF16)
    got = nki.simulate(pairs, target="trn1", level=level)(w, x, "none", (), ())
    want = w[:, 0].astype(np.float32).T @ x[:, 0].astype(np.float32)
    np.testing.assert_array_equal(got, want)


@nki.jit
def windows(w, x):
    """Operands of several free dimensions: permuted, reversed in step, and repeated."""
    left, right = loaded(w), loaded(x)
    acc = nl.ndarray((12, 5, 2, 3), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(
        dst=acc,
        stationary=left.permute((0, 2, 1)),  # (K, 4, 3)
        moving=right[:, 0:10:2].expand_dim(2).broadcast(2, 2).expand_dim(3).broadcast(3, 3),
    )
    out = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=acc)
    nisa.dma_copy(dst=out, src=tile)
    return out


@at_every_level
def test_free_dimensions_are_walked_in_order(level, rng):
    w = rng.integers(-4, 5, (64, 3, 4)).astype(BF16)
    x = rng.integers(-4, 5, (64, 10)).astype(BF16)
    got = nki.simulate(windows, target="trn1", level=level)(w, x)
    left = w.transpose(0, 2, 1).reshape(64, 12).astype(np.float32)
    want = left.T @ x[:, 0:10:2].astype(np.float32)
    np.testing.assert_array_equal(got, np.broadcast_to(want[:, :, None, None], got.shape))


@nki.jit
def convolution(w, x):
    """Each tap adds its columns, one further to the right, to those of the taps before."""
    left, right = loaded(w), loaded(x)
    acc = summed(w.shape[2], x.shape[1] + w.shape[1] - 1)
    for tap in range(w.shape[1]):
        nisa.nc_matmul(acc[:, nl.ds(tap, x.shape[1])], left[:, tap], right)
    return stored(acc)


@at_every_level
@pytest.mark.parametrize("target", ["trn1", "trn3"])
def test_products_that_overlap_in_psum_add_where_they_do(level, target, rng):
    w = rng.integers(-4, 5, (32, 5, 16)).astype(np.float32)
    x = rng.integers(-4, 5, (32, 20)).astype(np.float32)
    got = nki.simulate(convolution, target=target, level=level)(w, x)
    want = np.zeros((16, 24), np.float32)
    for tap in range(5):
        want[:, tap : tap + 20] += w[:, tap].T @ x
    np.testing.assert_array_equal(got, want)


@nki.jit
def choices(w, x):
    """What `accumulate` says, after a product that wrote the left half: nothing, True, False."""
    left, right = loaded(w), loaded(x)
    found = []
    for adds in (None, False):
        acc = summed(16, 64)
        nisa.nc_matmul(acc[:, 0:32], left, right[:, 0:32], accumulate=False)
        nisa.nc_matmul(acc, left, right, accumulate=adds)
        found.append(stored(acc))
    acc = summed(16, 64)
    nisa.nc_matmul(acc, left, right)
    nisa.nc_matmul(acc, left, right, accumulate=True)
    nisa.nc_matmul(acc[:, 0:16], left, right[:, 0:16], accumulate=True)
    return (*found, stored(acc))


@at_every_level
def test_accumulate_says_what_is_added(level, rng):
    w, x = rng.integers(-4, 5, (128, 16)).astype(BF16), rng.integers(-4, 5, (128, 64)).astype(BF16)
    inferred, overwritten, added = nki.simulate(choices, target="trn2", level=level)(w, x)
    want = w.astype(np.float32).T @ x.astype(np.float32)
    np.testing.assert_array_equal(overwritten, want)
    np.testing.assert_array_equal(inferred, want * ([2] * 32 + [1] * 32))
    np.testing.assert_array_equal(added, want * ([3] * 16 + [2] * 48))


@nki.jit
def wide(w, x, dtype):
    """A product over all of PSUM, twice."""
    left, right = loaded(w), loaded(x)
    acc = summed(w.shape[1], x.shape[1], dtype)
    for _ in range(2):
        nisa.nc_matmul(acc, left, right)
    return stored(acc)


@at_every_level
@pytest.mark.parametrize(("columns", "dtype"), [(4096, nl.float32), (8192, nl.bfloat16)])
def test_gen4_fills_psum_with_one_product(level, columns, dtype, rng):
    w = rng.integers(-1, 2, (32, 16)).astype(BF16)
    x = rng.integers(-1, 2, (32, columns)).astype(BF16)
    got = nki.simulate(wide, target="trn3", level=level)(w, x, dtype)
    want = 2 * w.astype(np.float32).T @ x.astype(np.float32)  # up to 64: exact in bfloat16
    np.testing.assert_array_equal(got.astype(np.float32), want)


@nki.jit
def hinted(ones, x):
    """Sums of columns with the hint that one operand has ones and zeros only."""
    left, right = loaded(ones), loaded(x)
    first, second = summed(4, 8), summed(8, 4)
    nisa.nc_matmul(first, left, right, is_stationary_onezero=True)
    nisa.nc_matmul(second, right, left, is_moving_onezero=True)
    return stored(first), stored(second)


@at_every_level
@pytest.mark.parametrize("dtype", [np.float32, BF16])
def test_hints_change_no_values(level, dtype, rng):
    ones = rng.integers(0, 2, (128, 4)).astype(dtype)
    x = rng.integers(-9, 9, (128, 8)).astype(dtype)
    first, second = nki.simulate(hinted, target="trn2", level=level)(ones, x)
    want = ones.astype(np.float32).T @ x.astype(np.float32)
    np.testing.assert_array_equal(first, want)
    np.testing.assert_array_equal(second, want.T)
