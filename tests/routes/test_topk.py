"""The k largest of each row, eight at a time: a kernel of all three searches, at every level."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

K = 16


@nki.jit
def topk(x):
    """Values and positions of the K largest of each row of (rows, columns), in two ways."""
    rows, columns = x.shape
    values = nl.ndarray((rows, K), dtype=x.dtype, buffer=nl.shared_hbm)
    positions = nl.ndarray((rows, K), dtype=nl.uint32, buffer=nl.shared_hbm)
    searched = nl.ndarray((rows, K), dtype=nl.uint32, buffer=nl.shared_hbm)
    left = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=x)
    top = nl.ndarray((rows, K), dtype=x.dtype, buffer=nl.sbuf)
    where = nl.ndarray((rows, K), dtype=nl.uint32, buffer=nl.sbuf)
    found = nl.ndarray((rows, K), dtype=nl.uint32, buffer=nl.sbuf)
    for first in range(0, K, 8):
        best = top[:, first : first + 8]
        nisa.max8(dst=best, src=left)
        nisa.nc_find_index8(dst=found[:, first : first + 8], data=left, vals=best)
        nisa.nc_match_replace8(
            dst=left, data=left, vals=best, imm=float("-inf"), dst_idx=where[:, first : first + 8]
        )
    nisa.dma_copy(dst=values, src=top)
    nisa.dma_copy(dst=positions, src=where)
    nisa.dma_copy(dst=searched, src=found)
    return values, positions, searched


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_the_largest_are_those_of_a_sort_at_every_level(target, rng):
    x = rng.permuted(np.tile(np.arange(200, dtype=np.float32), (128, 1)), axis=1)
    want, order = np.sort(x, axis=1)[:, : -K - 1 : -1], np.argsort(x, axis=1)[:, : -K - 1 : -1]
    for level in RUNNERS:
        values, positions, searched = nki.simulate(topk, target=target, level=level)(x)
        np.testing.assert_array_equal(values, want)
        np.testing.assert_array_equal(positions, order)
        np.testing.assert_array_equal(searched, order)


@pytest.mark.parametrize("level", RUNNERS)
def test_equal_values_are_all_found_in_opposite_orders(level, rng):
    x = rng.integers(0, 6, (64, 40)).astype(np.float32)
    values, positions, searched = nki.simulate(topk, target="trn2", level=level)(x)
    np.testing.assert_array_equal(values, np.sort(x, axis=1)[:, : -K - 1 : -1])
    for found in (positions, searched):
        np.testing.assert_array_equal(np.take_along_axis(x, found.astype(np.int64), 1), values)
        assert all(len(set(row)) == K for row in found.tolist())
    tied = values[:, 0] == values[:, 7]
    assert tied.any()
    np.testing.assert_array_equal(positions[tied, :8], searched[tied, 7::-1])
