"""Exact values of sums in PSUM and of transposes, by hand: section 4 of the numerics page."""

from __future__ import annotations

import math

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16 = nl.float32, nl.bfloat16
INF, NAN = math.inf, math.nan


def column(*numbers, dtype=np.float32):
    """Numbers in as many partitions."""
    return np.array(numbers, np.float32).astype(dtype)[:, None]


def psum(*shape, dtype=F32):
    return nl.ndarray(shape, dtype, nl.psum)


def test_one_product_is_rounded_once_and_each_accumulation_again(value):
    """2**24 + 1 + 1 is 2**24 + 2; adding 1 to 2**24 twice leaves 2**24 (ties to even)."""
    ones, numbers = column(1, 1, 1), column(2.0**24, 1, 1)

    def at_once(a, b):
        sums = psum(1, 1)
        nisa.nc_matmul(sums, a, b)
        return sums

    def one_by_one(a, b):
        sums = psum(1, 1)
        for k in range(3):
            row = nl.ndarray((1, 1), F32)
            nisa.dma_copy(dst=row, src=b[k : k + 1])
            nisa.nc_matmul(sums, a[0:1], row, accumulate=k > 0)
        return sums

    assert value(at_once, ones, numbers)[0, 0] == 2.0**24 + 2
    assert value(one_by_one, ones, numbers)[0, 0] == 2.0**24


def test_bfloat16_sums_in_psum_are_rounded_at_every_accumulation(value):
    """256 + 1 = 257 is a tie that stays at 256, and 256 + 3 = 259 one that becomes 260."""

    def sums(a, b, more):
        acc = psum(1, 1, dtype=BF16)
        nisa.nc_matmul(acc, a, b, accumulate=False)
        nisa.nc_matmul(acc, a, more, accumulate=True)
        nisa.nc_matmul(acc, a, more, accumulate=True)
        return acc

    one, start = column(1, dtype=BF16.np), column(256, dtype=BF16.np)
    for more, want in ((1, 256), (3, 264)):  # 260 + 3 = 263, which becomes 264
        got = value(sums, one, start, column(more, dtype=BF16.np), target="trn3")
        assert float(got[0, 0]) == want


def test_a_bfloat16_sum_is_formed_in_float32(value):
    def product(a, b):
        acc = psum(1, 1, dtype=BF16)
        nisa.nc_matmul(acc, a, b)
        return acc

    a, b = column(1, 1, 1, dtype=BF16.np), column(256, 1, 1, dtype=BF16.np)
    assert float(value(product, a, b, target="trn3")[0, 0]) == 258.0


def test_other_engines_add_in_psum_with_an_explicit_sum(value):
    def twice(a, b):
        sums = psum(1, 1)
        nisa.nc_matmul(sums, a, b)
        nisa.tensor_tensor(sums, sums, nl.full((1, 1), 0.5, F32), nl.add)
        return sums

    assert value(twice, column(1, 2), column(3, 4))[0, 0] == 11.5


def test_double_row_sums_over_partitions_and_pairs_of_both_kinds_of_float8(value):
    """[1, 2; 3, 4] with [5, 6; 7, 8], rows partitions, columns pairs: 5 + 12 + 21 + 32."""

    def product(a, b):
        sums = psum(1, 1)
        nisa.nc_matmul(sums, a, b, perf_mode=nisa.matmul_perf_mode.double_row)
        return sums

    a = np.array([[[1], [2]], [[3], [4]]], nl.float8_e4m3.np)
    b = np.array([[[5], [6]], [[7], [8]]], nl.float8_e5m2.np)
    assert value(product, a, b)[0, 0] == 70.0


def turned(x):
    made = psum(x.shape[1], x.shape[0], dtype=x.dtype)
    nisa.nc_transpose(made, x, engine=nisa.engine.tensor)
    return made


SPECIAL = np.array([[1, INF], [3, 4]], np.float32)


def test_a_transpose_on_gen2_is_a_product_with_ones_and_zeros(value):
    """Row 1 of the result: inf * 1 + 4 * 0, and inf * 0 + 4 * 1."""
    got = value(turned, SPECIAL, target="trn1", warns=["NKI2214"])
    np.testing.assert_array_equal(got, [[1, 3], [INF, NAN]])


@pytest.mark.parametrize("target", ["trn2", "trn3"])
def test_a_transpose_from_gen3_on_moves_bits(value, target):
    x = SPECIAL.copy()
    x.view(np.uint32)[1, 1] = 0xFFC12345  # a NaN with a sign and a payload
    x[0, 0] = -0.0
    assert value(turned, x, target=target).tobytes() == x.T.tobytes()


def test_the_vector_engine_moves_bits_on_every_target(value):
    def move(x):
        made = nl.ndarray((2, 2), F32)
        nisa.nc_transpose(made, x, engine=nisa.engine.vector)
        return made

    for target in ("trn1", "trn2", "trn3"):
        np.testing.assert_array_equal(value(move, SPECIAL, target=target), SPECIAL.T)


def test_a_transposed_float8_stays_eight_bits_wide(value):
    x = np.array([[1.5, -448.0]], np.float32).astype(nl.float8_e4m3.np)
    got = value(turned, x)
    assert got.itemsize == 1
    assert got.tobytes() == x.T.tobytes()


def test_the_error_of_bfloat16_operands_is_that_of_their_rounding(value, rng):
    """Two roundings of up to 2**-9 each; devices have 2.35e-3 (L2 norm)."""

    def product(a, b):
        sums = psum(64, 128)
        nisa.nc_matmul(sums, nl.copy(a, dtype=BF16), nl.copy(b, dtype=BF16))
        return sums

    a, b = rng.standard_normal((128, 64), np.float32), rng.standard_normal((128, 128), np.float32)
    exact = a.T.astype(np.float64) @ b
    error = np.linalg.norm(value(product, a, b) - exact) / np.linalg.norm(exact)
    assert 1.5e-3 < error < 3e-3
