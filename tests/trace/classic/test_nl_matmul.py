"""`matmul` and `transpose` of the first generation: orders, accumulation, masks, both roads."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

A = (np.arange(64 * 48).reshape(64, 48) % 11 - 5).astype(np.float32)
B = (np.arange(48 * 96).reshape(48, 96) % 7 - 3).astype(np.float32)


def run(kernel, *arrays, target="trn1"):
    return nki.jit(kernel, platform_target=target)(*arrays)


def stored(tile):
    """A new output with the contents of `tile`."""
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@pytest.mark.parametrize("turned", [False, True])
def test_products(road, turned):
    def kernel(a, b):
        return stored(nl.matmul(nl.load(a), nl.load(b), transpose_x=turned))

    assert np.array_equal(run(kernel, A.T.copy() if turned else A, B), A @ B)


def test_a_product_of_operands_in_psum(road):
    def kernel(a, b):
        product = nl.matmul(nl.load(a), nl.load(b))
        return stored(nl.matmul(product, product, transpose_x=True))

    assert np.array_equal(run(kernel, A, B), (A @ B).T @ (A @ B))


def test_a_mask_over_the_result(road):
    def kernel(a, b):
        i, j = nl.mgrid[0:64, 0:96]
        found = nl.matmul(nl.load(a), nl.load(b), mask=(i < 40) & (j < 50))
        out = nl.ndarray((40, 50), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, found[0:40, 0:50])
        return out

    assert np.array_equal(run(kernel, A, B), (A @ B)[:40, :50])


def test_refuses_more_dimensions(told):
    def kernel(a):
        tile = nl.load(a).reshape((64, 4, 12))
        return stored(nl.matmul(tile, tile))

    def turning(a):
        return stored(nl.transpose(nl.load(a).reshape((64, 4, 12))))

    for one in (kernel, turning):
        assert told(one, A)[0].startswith("NKI2107")


def test_transposes(road):
    def kernel(a):
        i, j = nl.mgrid[0:64, 0:48]
        part = nl.transpose(nl.load(a), mask=(i < 30) & (j < 20))
        out = nl.ndarray((20, 30), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, part[0:20, 0:30])
        return stored(nl.transpose(nl.load(a))), stored(nl.load_transpose2d(a)), out

    whole, loaded, part = run(kernel, A)
    assert np.array_equal(whole, A.T)
    assert np.array_equal(loaded, A.T)
    assert np.array_equal(part, A[:30, :20].T)


def test_a_transposing_load_of_a_part(road):
    def kernel(a):
        i = nl.arange(64)[:, None]
        tile = nl.load_transpose2d(a, mask=(i < 30), dtype=nl.bfloat16)
        out = nl.ndarray((48, 30), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, tile[:, 0:30])
        return out

    assert np.array_equal(run(kernel, A), A[:30].T)


def test_a_transposing_load_has_two_dimensions(told):
    def kernel(a):
        return stored(nl.load_transpose2d(a))

    assert told(kernel, A.reshape(4, 16, 48))[0].startswith("NKI2107")
