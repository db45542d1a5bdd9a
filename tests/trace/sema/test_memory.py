"""Loads and stores, products and transposes, choosing and repeating elements."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import opennki.api.language as nl
from opennki.api import simulate

F32_SUM = 1e-5  # float32 sums of up to 128 products of order 1
DTYPES = [np.float32, ml_dtypes.bfloat16, np.int32, np.uint8, np.float16]


def test_load_and_store_move_and_convert(run, traced):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(run(lambda t: t, x), x)

    def kernel(a):
        out = nl.ndarray((3,), nl.float32, nl.shared_hbm)
        nl.store(out, nl.load(a[0:1], dtype=nl.bfloat16))
        return out

    np.testing.assert_array_equal(simulate(kernel)(x), x[0])
    assert traced(kernel, x).function.counts() == {"dma_copy": 2}


def test_transposing_load(run):
    x = np.arange(200 * 48, dtype=np.float32).reshape(200, 48)

    def kernel(a):
        tile = nl.load_transpose2d(a)
        out = nl.ndarray(tile.shape, tile.dtype, nl.shared_hbm)
        nl.store(out, tile)
        return out

    np.testing.assert_array_equal(simulate(kernel)(x), x.T)


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda a: nl.load(nl.load(a)), "NKI2105"), (lambda a: nl.load(3), "NKI1007"),
        (lambda a: nl.store(nl.load(a), nl.load(a)), "NKI2105"),
        (lambda a: nl.store(nl.empty_like(a), a), "NKI2105"),
        (lambda a: nl.store(nl.empty_like(a), nl.load(a)[:, 0:2]), "NKI2107"),
        (lambda a: nl.load(a.reshape((2, 256))[0]), "NKI3001"),
        (lambda a: nl.load(a.reshape((256, 2))), "NKI3002"),
        (lambda a: nl.load_transpose2d(a.reshape((2, 4, 64))), "NKI2107"),
        (lambda a: nl.load_transpose2d(a.reshape((2, 256))), "NKI3002"),
        (lambda a: nl.load(a, dtype="float64"), "NKI3004"),
    ],
)  # fmt: skip
def test_transfers_that_cannot_be(refused, function, code):
    assert refused(function, np.ones((128, 4), np.float32)).code.id == code


@pytest.mark.parametrize("shape", [(128, 128, 512), (16, 40, 24), (8, 8, 8), (1, 5, 1)])
@pytest.mark.parametrize("transpose_x", [False, True])
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_matmul(run, rng, shape, transpose_x, target):
    m, k, n = shape
    x = rng.standard_normal((k, m) if transpose_x else (m, k)).astype(np.float32)
    y = rng.standard_normal((k, n)).astype(np.float32)
    got = run(lambda a, b: nl.matmul(a, b, transpose_x=transpose_x), x, y, target=target)
    np.testing.assert_allclose(got, (x.T if transpose_x else x) @ y, rtol=F32_SUM, atol=F32_SUM)


def test_instructions_of_matmul(opcodes):
    x, small = np.ones((64, 128), np.float32), np.ones((8, 8), np.float32)
    y = np.ones((128, 32), np.float32)
    assert opcodes(nl.matmul, x, y) == {"nc_transpose": 1, "tensor_copy": 1, "nc_matmul": 1}
    assert opcodes(nl.matmul, small, small) == {"nc_transpose": 1, "nc_matmul": 1}
    assert opcodes(lambda a, b: nl.matmul(a, b, True), y, y) == {"nc_matmul": 1}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(128, 128), (100, 3), (7, 32)])
def test_transpose(run, rng, dtype, shape):
    x = rng.integers(0, 100, shape).astype(dtype)
    got = run(nl.transpose, x)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, x.T)


def test_transpose_converts_and_reads_psum(run, rng):
    x = rng.standard_normal((64, 40)).astype(np.float32)
    want = x.T.astype(ml_dtypes.bfloat16)
    got = run(lambda t: nl.transpose(t, dtype=nl.bfloat16), x)
    np.testing.assert_array_equal(got.view(np.uint16), want.view(np.uint16))
    np.testing.assert_array_equal(run(lambda t: nl.transpose(nl.transpose(t)), x), x)


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda t: nl.matmul(t, t), "NKI2103"), (lambda t: nl.matmul(t, 3), "NKI1007"),
        (lambda t: nl.matmul(t.reshape((64, 2, 32)), t, True), "NKI2107"),
        (lambda t: nl.transpose(t.reshape((64, 2, 32))), "NKI2107"),
        (lambda t: nl.transpose(nl.broadcast_to(t[:, 0:1], (64, 200))), "NKI2212"),
        (lambda t: nl.matmul(t, nl.zeros((64, 600), nl.float32)), "NKI2104"),
        (lambda t: nl.matmul(nl.transpose(t), t), "NKI2105"),
    ],
)  # fmt: skip
def test_products_that_cannot_be(refused, function, code):
    def kernel(a):
        tile = nl.load(a)
        function(tile if code != "NKI2104" else nl.load(a[:, 0:64]))
        return a

    if code == "NKI2104":
        found = refused(kernel, np.ones((64, 64), np.float32))
    else:
        found = refused(kernel, np.ones((64, 64) if code != "NKI2103" else (64, 32), np.float32))
    assert found.code.id == code


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(run, opcodes, rng, dtype):
    mask = rng.integers(0, 2, (32, 16)).astype(np.float32)
    x, y = (rng.integers(0, 100, (32, 16)).astype(dtype) for _ in range(2))
    got = run(nl.where, mask, x, y)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.where(mask != 0, x, y))
    assert opcodes(nl.where, mask, x, y) == {
        "tensor_copy": 1, "tensor_scalar": 1, "tensor_copy_predicated": 1,
    }  # fmt: skip


def test_where_moves_nan_and_large_integers(run):
    mask = np.array([[1, 0]], np.float32)
    x = np.array([[1.5, np.nan]], np.float32)
    y = np.array([[np.inf, -1]], np.float32)
    np.testing.assert_array_equal(run(nl.where, mask, x, y), [[1.5, -1]])
    big = np.array([[2**24 + 1, 2**24 + 3]], np.int32)
    np.testing.assert_array_equal(run(nl.where, mask, big, big + 1), [[2**24 + 1, 2**24 + 4]])


def test_where_takes_numbers_narrow_tiles_and_bytes(run, rng):
    mask = rng.integers(0, 2, (8, 6)).astype(np.uint8)
    x = rng.standard_normal((8, 6)).astype(np.float32)
    narrow = rng.standard_normal((8, 1)).astype(np.float32)
    np.testing.assert_array_equal(
        run(lambda m, a: nl.where(m, a, 0.0), mask, x), np.where(mask, x, 0)
    )
    np.testing.assert_array_equal(
        run(lambda m, a: nl.where(m, -1.0, a), mask, x), np.where(mask, np.float32(-1), x)
    )
    np.testing.assert_array_equal(run(nl.where, mask, narrow, x), np.where(mask, narrow, x))
    got = run(lambda m, a: nl.where(m, a, a, dtype=nl.bfloat16), mask, x)
    np.testing.assert_array_equal(got, x.astype(ml_dtypes.bfloat16))
    column = mask[:, 0:1]
    np.testing.assert_array_equal(
        run(lambda m, a: nl.where(m, a, 0.0), column, x), np.where(column, x, 0)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "want"),
    [((1, 1), (128, 1)), ((1, 32), (128, 32)), ((64, 1), (64, 32)), ((1, 1), (16, 9)),
     ((1, 3, 1), (5, 3, 4)), ((4, 1, 3), (4, 2, 3)), ((4, 3), (4, 3))],
)  # fmt: skip
def test_broadcast_to(run, opcodes, rng, dtype, shape, want):
    x = rng.integers(0, 200, shape).astype(dtype)
    np.testing.assert_array_equal(
        run(lambda t: nl.broadcast_to(t, want), x), np.broadcast_to(x, want)
    )
    assert sum(opcodes(lambda t: nl.broadcast_to(t, want), x).values()) == (shape != want)


def test_broadcast_makes_shapes_combine(run, rng):
    column = rng.standard_normal((64, 1)).astype(np.float32)
    row = rng.standard_normal((1, 32)).astype(np.float32)
    got = run(
        lambda a, b: nl.subtract(nl.broadcast_to(a, (64, 32)), nl.broadcast_to(b, (64, 32))),
        column, row,
    )  # fmt: skip
    np.testing.assert_array_equal(got, column - row)


def test_broadcast_from_psum_and_with_conversion(run, rng):
    x = rng.standard_normal((4, 1)).astype(np.float32)
    got = run(lambda t: nl.broadcast_to(nl.transpose(t), (9, 4)), x)
    np.testing.assert_array_equal(got, np.broadcast_to(x.T, (9, 4)))
    got = run(lambda t: nl.broadcast_to(t, (4, 1), dtype=nl.bfloat16), x)
    np.testing.assert_array_equal(got, x.astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize("shape", [(8, 3), (4, 6), (4, 3, 1), (3, 3), (4, 0), 5, (4, 3.0)])
def test_shapes_that_nothing_is_broadcast_to(refused, shape):
    def kernel(a):
        nl.broadcast_to(nl.load(a), shape)
        return a

    good = isinstance(shape, tuple) and all(isinstance(n, int) for n in shape)
    found = refused(kernel, np.ones((4, 3), np.float32))
    assert found.code.id == ("NKI3032" if good else "NKI1007")


def test_expand_dims(traced, refused):
    seen = []

    def kernel(a):
        tile = nl.load(a)
        seen.extend([nl.expand_dims(tile, 1).shape, nl.expand_dims(tile, -1).shape])
        seen.append(nl.expand_dims(a, 0).shape)
        return a

    x = np.ones((4, 3), np.float32)
    assert traced(kernel, x).function.counts() == {"dma_copy": 1}
    assert seen == [(4, 1, 3), (4, 3, 1), (1, 4, 3)]
    assert refused(lambda a: nl.expand_dims(nl.load(a), 0), x).code.id == "NKI3021"
    assert refused(lambda a: nl.expand_dims(nl.load(a), 4), x).code.id == "NKI3025"
    assert refused(lambda a: nl.expand_dims(nl.load(a), 1.0), x).code.id == "NKI1007"
