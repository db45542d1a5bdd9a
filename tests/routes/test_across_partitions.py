"""Kernels that move data between partitions, or find segments on GpSimd, at every level."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS


@nki.jit
def broadcast(row, x):
    """`x` with its partitions 1, 33, 65 and 97 replaced, and `row` in every partition."""
    kept = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    spread = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.nc_stream_shuffle(dst=tile, src=tile, shuffle_mask=[255, 16] + [255] * 30)
    nisa.dma_copy(dst=kept, src=tile)
    one = nl.ndarray(row.shape, dtype=row.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=one, src=row)
    for group in nl.affine_range(4):
        nisa.nc_stream_shuffle(
            dst=tile[nl.ds(group * 32, 32), :], src=one[0:1, :], shuffle_mask=[0] * 32
        )
    nisa.dma_copy(dst=spread, src=tile)
    return kept, spread


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_shuffles_at_every_level(target, rng):
    x = rng.standard_normal((128, 50)).astype(np.float32)
    row = rng.standard_normal((1, 50)).astype(np.float32)
    want = x.copy()
    want[1::32] = x[16::32]
    for level in RUNNERS:
        kept, spread = nki.simulate(broadcast, target=target, level=level)(row, x)
        np.testing.assert_array_equal(kept, want)
        np.testing.assert_array_equal(spread, np.tile(row, (128, 1)))


@nki.jit
def column_sums(x):
    """Sum, mean and maximum of every column of (rows, columns)."""
    out = nl.ndarray((3, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for k, op in enumerate((nl.add, nl.average, nl.maximum)):
        row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_partition_reduce(dst=row, op=op, data=tile)
        nisa.dma_copy(dst=out[k : k + 1, :], src=row)
    return out


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_columns_are_folded_at_every_level(target, rng):
    x = rng.integers(-99, 99, (128, 50)).astype(np.float32)  # sums are exact
    for level in RUNNERS:
        made = nki.simulate(column_sums, target=target, level=level)(x)
        np.testing.assert_array_equal(made, [x.sum(0), x.sum(0) / np.float32(128), x.max(0)])


@nki.jit
def segments(ids):
    """Where the segment of each element begins and ends."""
    length = ids.shape[1]
    out = nl.ndarray((1, 2, length), dtype=ids.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(ids.shape, dtype=ids.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=ids)
    found = nl.ndarray((1, 2, length), dtype=ids.dtype, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=found, segment_ids=tile)
    nisa.dma_copy(dst=out, src=found)
    return out


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_segments_are_found_at_every_level(target, dtype):
    ids = np.array([[0, 1, 1, 2, 2, 2, 0, 3, 3]], dtype)
    want = [[[9, 1, 1, 3, 3, 3, 9, 7, 7], [-1, 3, 3, 6, 6, 6, -1, 9, 9]]]
    for level in RUNNERS:
        made = nki.simulate(segments, target=target, level=level)(ids)
        assert made.dtype == dtype
        assert made.tolist() == want
