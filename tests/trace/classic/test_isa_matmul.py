"""Products and transposes of the first generation."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

F32 = {"rtol": 1e-5, "atol": 1e-4}  # sums of at most 256 products of numbers below 1


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def accumulated(a, b):
    total = nl.zeros((128, 64), nl.float32, buffer=nl.psum)
    i_p, i_m, i_n = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(64)[None, :]
    for k in nl.affine_range(2):
        left, right = nl.load(a[k * 128 + i_p, i_m]), nl.load(b[k * 128 + i_p, i_n])
        total += nisa.nc_matmul(left[i_p, i_m], right[i_p, i_n])
    return stored(total)


def test_a_loop_of_products_accumulates(road, rng):
    a, b = rng.random((256, 128), np.float32), rng.random((256, 64), np.float32)
    np.testing.assert_allclose(accumulated(a, b), a.T @ b, **F32)


@nki.jit
def onto_ones(a, b):
    total = nl.ndarray((128, 64), nl.float32, buffer=nl.psum)
    total[...] = 1.0
    total += nisa.nc_matmul(nl.load(a), nl.load(b))
    return stored(total)


def test_a_product_is_added_to_what_was_written_otherwise(road, rng):
    a, b = rng.random((128, 128), np.float32), rng.random((128, 64), np.float32)
    np.testing.assert_allclose(onto_ones(a, b), a.T @ b + 1, **F32)


@nki.jit
def looked_at_before(a, b):
    total = nl.zeros((128, 64), nl.float32, buffer=nl.psum)
    product = nisa.nc_matmul(nl.load(a), nl.load(b))
    doubled = nisa.tensor_scalar(product, np.multiply, 2.0)
    total += product
    return stored(total), stored(doubled)


def test_a_product_that_was_read_is_added_by_a_sum(road, rng):
    a, b = rng.random((128, 128), np.float32), rng.random((128, 64), np.float32)
    total, doubled = looked_at_before(a, b)
    np.testing.assert_allclose(total, a.T @ b, **F32)
    np.testing.assert_allclose(doubled, 2 * (a.T @ b), **F32)


@nki.jit
def added_and_used(a, b):
    total = nl.zeros((128, 64), nl.float32, buffer=nl.psum)
    product = nisa.nc_matmul(nl.load(a), nl.load(b))
    total += product
    return stored(nisa.tensor_copy(product)), stored(nisa.tensor_copy(total))


def test_a_product_that_was_added_has_its_own_value_too(rng):
    a, b = rng.random((128, 128), np.float32), rng.random((128, 64), np.float32)
    for got in added_and_used(a, b):
        np.testing.assert_allclose(got, a.T @ b, rtol=1e-5)


@nki.jit
def of_many_dimensions(a, b):
    i_p, i_y, i_x = nl.mgrid[0:64, 0:4, 0:8]
    left, right = nl.load(a), nl.load(b)
    return stored(nisa.nc_matmul(left, right[i_p, i_y, i_x * 2]))


def test_free_dimensions_of_the_moving_tile_stay(road, rng):
    a, b = rng.random((64, 32), np.float32), rng.random((64, 4, 16), np.float32)
    found = of_many_dimensions(a, b)
    np.testing.assert_allclose(found, np.einsum("km,kyx->myx", a, b[:, :, ::2]), **F32)


@nki.jit
def masked(a, b):
    i_m, i_n = nl.mgrid[0:32, 0:16]
    total = nl.ndarray((32, 16), nl.float32, buffer=nl.psum)
    total[...] = 0.5
    total[0:20, 0:10] = nisa.nc_matmul(nl.load(a), nl.load(b), mask=(i_m < 20) & (i_n < 10))[
        0:20, 0:10
    ]
    return stored(total)


def test_a_mask_cuts_columns_and_not_what_is_contracted(road, rng):
    a, b = rng.random((32, 32), np.float32), rng.random((32, 16), np.float32)
    want = np.full((32, 16), 0.5, np.float32)
    want[:20, :10] = (a.T @ b)[:20, :10]
    np.testing.assert_allclose(masked(a, b), want, **F32)


@nki.jit(platform_target="trn2")
def double_row(a, b):
    mode = "double_row_gen3"
    left, right = nl.load(a, dtype=nl.float8_e5m2), nl.load(b, dtype=nl.float8_e5m2)
    return stored(nisa.nc_matmul(left, right, perf_mode=mode))


def test_double_row_has_its_first_name(road):
    a, b = np.full((64, 2, 16), 0.5, np.float32), np.ones((64, 2, 32), np.float32)
    np.testing.assert_array_equal(double_row(a, b), np.full((16, 32), 64.0))


def turned(data, **options):
    return stored(nisa.nc_transpose(nl.load(data), **options))


@nki.jit
def three_transposes(data, small):
    tensor = nisa.nc_transpose(nl.load(data))
    vector = nisa.nc_transpose(nl.load(small))
    asked = nisa.nc_transpose(nl.load(small), engine=nisa.tensor_engine)
    assert tensor.buffer is nl.psum
    assert vector.buffer is nl.sbuf
    assert asked.buffer is nl.psum
    return stored(tensor), stored(vector), stored(asked)


def test_the_engine_decides_where_a_transpose_is(road, rng):
    data, small = rng.random((128, 64), np.float32), rng.random((32, 16), np.float32)
    found = three_transposes(data, small)
    for got, want in zip(found, (data.T, small.T, small.T), strict=True):
        np.testing.assert_array_equal(got, want)


@nki.jit
def rounded(data):
    return turned(data, dtype=nl.bfloat16)


def test_a_transpose_to_another_dtype_is_copied(road):
    data = np.arange(64 * 48, dtype=np.float32).reshape(64, 48) % 256
    found = rounded(data)
    assert str(found.dtype) == "bfloat16"
    np.testing.assert_array_equal(found.astype(np.float32), data.T)


@nki.jit
def part_of_a_transpose(data):
    i_p, i_f = nl.mgrid[0:64, 0:48]
    out = nl.ndarray((48, 64), dtype=data.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((48, 64), data.dtype)
    tile[0:30, 0:20] = nisa.nc_transpose(nl.load(data), mask=(i_p < 20) & (i_f < 30))[0:30, 0:20]
    nl.store(out, tile)
    return out


def test_a_mask_of_a_transpose_is_over_its_input(road, rng):
    data = rng.random((64, 48), np.float32)
    want = np.zeros((48, 64), np.float32)
    want[:30, :20] = data.T[:30, :20]
    np.testing.assert_array_equal(part_of_a_transpose(data), want)


def test_a_mask_cannot_cut_dimensions_that_are_joined(told, rng):
    def kernel(data):
        _, i_y, _ = nl.mgrid[0:64, 0:4, 0:8]
        return stored(nisa.nc_transpose(nl.load(data), mask=i_y < 2))

    assert told(kernel, rng.random((64, 4, 8), np.float32)) == [
        "NKI1101: the mask of nki.isa.nc_transpose cuts a dimension that must be whole: `data` has "
        "several free dimensions"
    ]


@pytest.mark.parametrize("target", ["trn1", "trn2"])
def test_a_transpose_by_a_product_has_a_dtype_that_the_target_takes(target):
    def kernel(data, identity):
        found = nisa.nc_matmul(nl.load(data), nl.load(identity), is_transpose=True)
        return stored(found)

    data = np.arange(64, dtype=np.float16).reshape(8, 8)
    found = nki.jit(kernel, platform_target=target)(data, np.eye(8, dtype=np.float16))
    assert found.dtype == (np.float32 if target == "trn1" else np.float16)
    np.testing.assert_array_equal(found, data.T)


@nki.jit
def by_a_transpose(a, b):
    turned_ = nisa.nc_transpose(nl.load(a))
    return stored(nisa.nc_matmul(turned_, nl.load(b)))


def test_a_product_may_take_what_a_transpose_left(road, rng):
    a, b = rng.random((64, 128), np.float32), rng.random((128, 48), np.float32)
    np.testing.assert_allclose(by_a_transpose(a, b), a @ b, **F32)


@nki.jit
def large_on_vector(a):
    x = nl.load(a)
    in_psum = nisa.activation(nl.copy, x, buffer=nl.psum)
    return (
        stored(nisa.nc_transpose(x, engine=nisa.vector_engine)),
        stored(nisa.nc_transpose(in_psum, engine=nisa.tensor_engine)),
    )


def test_the_vector_engine_transposes_by_blocks(road, rng):
    a = rng.random((128, 80), np.float32)
    for found in large_on_vector(a):
        np.testing.assert_array_equal(found, a.T)
