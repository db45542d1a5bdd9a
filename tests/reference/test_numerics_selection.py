"""Exact values of selections, patterns and memory that nothing wrote: sections 9 and 11."""

from __future__ import annotations

import math

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, F16, I32, U8 = nl.float32, nl.bfloat16, nl.float16, nl.int32, nl.uint8
LEAST = float(np.finfo(np.float32).min)


def row(*numbers, dtype=np.float32):
    return np.array([numbers], dtype)


# ---- predicates ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("reverse", [False, True])
def test_anything_but_zero_copies_and_zero_leaves_what_is_there(value, dtype, reverse):
    def call(x, y, p):
        nisa.tensor_copy_predicated(y, x, p, reverse_pred=reverse)
        return y

    last = np.iinfo(dtype).max
    got = value(call, row(1, 2, 3, 4), row(-1, -2, -3, -4), row(0, 1, 2, last, dtype=dtype))
    assert got[0].tolist() == ([1, -2, -3, -4] if reverse else [-1, 2, 3, 4])


def test_a_copy_with_a_predicate_counts_elements_and_not_dimensions(value):
    """(1, 2, 3) into (1, 6) by (1, 3, 2): element by element in the order of the walk."""

    def call(x, y, p):
        nisa.tensor_copy_predicated(y, x, p)
        return y

    x = np.arange(1, 7, dtype=np.float32).reshape(1, 2, 3)
    p = np.array([[[1, 0], [0, 1], [1, 1]]], np.uint8)
    got = value(call, x, np.zeros((1, 6), np.float32), p)
    assert got[0].tolist() == [1, 0, 0, 4, 5, 6]


def test_a_selection_counts_elements_and_not_dimensions(value):
    def call(x, p):
        dst = nl.ndarray((1, 6), F32)
        nisa.select_reduce(dst, p, x, -1.0)
        return dst

    x = np.arange(1, 7, dtype=np.float32).reshape(1, 2, 3)
    p = np.array([[[1, 0], [0, 1], [1, 1]]], np.uint8)
    assert value(call, x, p)[0].tolist() == [1, -1, -1, 4, 5, 6]


@pytest.mark.parametrize(
    ("false", "dtype", "want"),
    [
        (0.1, F32, float(np.float32(0.1))), (-3, F32, -3.0), (LEAST, F32, LEAST),
        (LEAST, BF16, -math.inf), (LEAST, F16, -math.inf), (257.0, BF16, 256.0),
        (LEAST, nl.float8_e4m3, -240.0), (1.5, nl.int8, 2.0), (-1.0, U8, 0.0),
    ],
)  # fmt: skip
def test_what_is_not_selected_is_a_float32_and_rounded_to_the_result(value, false, dtype, want):
    def select(x, p):
        dst = nl.ndarray(x.shape, dtype)
        nisa.select_reduce(dst, p, x, false)
        return dst

    def affine(x, p):
        dst = nl.ndarray(x.shape, dtype)
        nisa.affine_select(dst, [[1, 2]], 0, x, false, nl.greater)  # 0 > 0, 1 > 0
        return dst

    for call in (select, affine):
        got = value(call, row(7.0, 1.0), row(0, 1, dtype=np.uint8))
        assert got.astype(np.float32)[0].tolist() == [want, 1.0]


def test_the_running_maximum_starts_at_minus_infinity_and_goes_on(value):
    def call(x, p):
        dst, found = nl.ndarray(x.shape, F32), nl.ndarray((1, 2), F32)
        nisa.select_reduce(dst, p, x, -100.0, found[:, 0:1], nisa.reduce_cmd.reset_reduce)
        nisa.select_reduce(dst, p, x, 3.0, found[:, 1:2], nisa.reduce_cmd.reduce)
        return found

    got = value(call, row(-5.0, 9.0, -7.0), row(1, 0, 1, dtype=np.uint8))
    assert got[0].tolist() == [-5.0, 3.0]


def test_the_running_maximum_of_nan_is_nan(value):
    def call(x, p):
        dst, found = nl.ndarray(x.shape, F32), nl.ndarray((1, 1), F32)
        nisa.select_reduce(dst, p, x, 0.0, found, nisa.reduce_cmd.reset_reduce)
        return found

    assert np.isnan(value(call, row(1.0, math.nan, 2.0), row(1, 1, 1, dtype=np.uint8)))


# ---- patterns --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "offset", "want"),
    [
        (I32, 2**31 - 1, [2**31 - 1, -(2**31)]),  # 32 bits, which wrap
        (nl.uint32, -1, [2**32 - 1, 0]), (U8, 255, [255, 255]), (U8, -1, [0, 0]),
        (nl.int8, -129, [-128, -128]), (F32, 2**24, [2**24, 2**24]),  # the tie at 2**24 + 1
        (BF16, 256, [256, 256]), (BF16, 258, [258, 260]), (F16, 65519, [65504, math.inf]),
        (nl.float8_e4m3, 240, [240, 240]), (nl.float8_e5m2, -1, [-1, 0]),
    ],
)  # fmt: skip
def test_indices_are_32_bit_integers_and_then_cast(value, dtype, offset, want):
    def call(x):
        dst = nl.ndarray((1, 2), dtype)
        nisa.iota(dst, [[1, 2]], offset=offset)
        return dst

    got = value(call, row(0.0))
    assert (got.astype(np.float64)[0]).tolist() == want


def test_a_pattern_is_compared_as_integers(value):
    """-(2**24) - 1, -1, 2**24 - 1: none is zero, but in float32 the second would be."""

    def call(x):
        dst = nl.ndarray(x.shape, F32)
        nisa.affine_select(dst, [[2**24, 3]], 0, x, 0.0, nl.equal, offset=-(2**24) - 1)
        return dst

    assert value(call, row(5.0, 6.0, 7.0))[0].tolist() == [0.0, 0.0, 0.0]


def test_selected_integers_of_32_bits_are_exact_and_others_go_through_float32(value):
    def call(x, dtype):
        dst = nl.ndarray(x.shape, dtype)
        nisa.affine_select(dst, [[1, 2]], 0, x, 0.5, nl.less)  # never
        nisa.affine_select(dst[:, 0:1], [[1, 1]], 0, x[:, 0:1], 0.5)  # 0 == 0
        return dst

    x = row(2**24 + 1, 7, dtype=np.int32)
    assert value(lambda t: call(t, I32), x)[0].tolist() == [2**24 + 1, 0]
    got = value(lambda t: call(t, nl.uint32), x, warns=["NKI6009"])
    assert got[0].tolist() == [2**24, 0]


def test_where_takes_floats_that_are_not_zero_as_true(value):
    got = value(nl.where, row(1.0, 0.0, -2.0), row(1.0, 2.0, 3.0), row(-1.0, -2.0, -3.0))
    assert got[0].tolist() == [1.0, -2.0, 3.0]


# ---- values to fill with ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "given", "want"),
    [
        (BF16, 257.0, 256.0), (F16, 65520.0, math.inf), (nl.float8_e4m3, 1000.0, 240.0),
        (nl.float8_e5m2, -1e6, -57344.0), (F32, 0.1, float(np.float32(0.1))), (U8, 255, 255.0),
        (nl.int8, -128.0, -128.0), (F32, -math.inf, -math.inf),
    ],
)  # fmt: skip
def test_memset_rounds_a_number_for_floats_and_takes_what_integers_hold(value, dtype, given, want):
    def call(x):
        dst = nl.ndarray((1, 1), dtype)
        nisa.memset(dst, given)
        return dst

    assert float(value(call, row(0.0))[0, 0]) == want


def test_integers_of_32_bits_are_set_exactly(value):
    def call(x):
        dst = nl.ndarray((1, 2), I32)
        nisa.memset(dst, 2**31 - 1)
        nisa.memset(dst[:, 1:2], 2**24 + 1)
        return dst

    assert value(call, row(0.0))[0].tolist() == [2**31 - 1, 2**24 + 1]


# ---- what nothing wrote ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [F32, BF16, F16, nl.float8_e4m3, I32, U8, nl.int16])
@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_what_nothing_wrote_is_nan_or_four_and_told(value, dtype, buffer):
    def call(x):
        left = nl.ndarray((1, 2), dtype, buffer)
        made = nl.ndarray((1, 2), dtype)
        nisa.tensor_copy(made, left)
        return made

    got = value(call, row(0.0), warns=["NKI6001"]).astype(np.float32)
    assert (np.isnan(got) if dtype.is_float else got == 4).all()


def test_nan_of_what_nothing_wrote_spreads(value):
    def call(x):
        left = nl.ndarray(x.shape, F32)
        nisa.memset(left[:, 0:1], 1.0)
        return nl.add(left, x)

    got = value(call, row(2.0, 2.0), warns=["NKI6001"])
    np.testing.assert_array_equal(got, row(3.0, math.nan))
