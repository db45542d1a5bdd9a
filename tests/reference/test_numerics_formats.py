"""Exact values of the dtypes, worked out by hand: rounding, overflow, subnormals, NaN, integers.

The rules are those of the numerics page, sections 1 and 2, in its order. Every conversion is made
in every way that a kernel has for it.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.base.dtypes import bool_, float8_e8m0fnu
from opennki.base.packed import unpack

F32, I32 = nl.float32, nl.int32
INF, NAN = math.inf, math.nan
E = nisa.engine


def by(call):
    """A way to convert: a function of a tile and a dtype that gives the tile of that dtype."""

    def convert(tile, dtype):
        made = nl.ndarray(tile.shape, dtype, nl.sbuf)
        call(made, tile)
        return made

    return convert


WAYS = {
    "vector": by(lambda dst, src: nisa.tensor_copy(dst, src, engine=E.vector)),
    "gpsimd": by(lambda dst, src: nisa.tensor_copy(dst, src, engine=E.gpsimd)),
    "scalar": by(lambda dst, src: nisa.tensor_copy(dst, src, engine=E.scalar)),
    "dma": by(lambda dst, src: nisa.dma_copy(dst=dst, src=src)),
    "times one": by(lambda dst, src: nisa.tensor_scalar(dst, src, nl.multiply, 1.0)),
    "identity": by(lambda dst, src: nisa.activation(dst, nl.copy, src)),
}


@pytest.fixture(params=WAYS)
def converted(request, value):
    """``converted(dtype, *numbers)``: what float32 numbers become, as float32."""

    def call(dtype, *numbers):
        given = np.array([numbers], np.float32)
        made = value(lambda tile: WAYS[request.param](tile, dtype), given, target="trn3")
        return made.astype(np.float32)[0]

    return call


def same(got, want):
    """Whether numbers are equal one by one, NaN to NaN, and zeros have one sign."""
    want = np.array(want, np.float32)
    nan = np.isnan(want)
    return (
        np.array_equal(np.isnan(got), nan)
        and np.array_equal(got[~nan], want[~nan])
        and np.array_equal(np.signbit(got[~nan]), np.signbit(want[~nan]))
    )


# dtype: number -> what it becomes. u is the step between neighbours around the numbers.
ROUNDED = {
    nl.bfloat16: {  # 8 significant bits: u = 2**-7 at 1
        1 + 2.0**-8: 1.0,  # half of u: to the even one
        1 + 3 * 2.0**-8: 1 + 2.0**-6,
        1 + 2.0**-8 + 2.0**-20: 1 + 2.0**-7,  # a little more than half
        257.0: 256.0, 259.0: 260.0, -257.0: -256.0,
    },
    nl.float16: {  # 11 bits: u = 2 at 2048
        2049.0: 2048.0, 2051.0: 2052.0, 2049.001: 2050.0, -2049.0: -2048.0,
    },
    nl.float8_e4m3: {17.0: 16.0, 19.0: 20.0, 17.01: 18.0, -19.0: -20.0, 231.0: 224.0},
    nl.float8_e4m3fn: {17.0: 16.0, 19.0: 20.0, 271.0: 256.0, 272.0: 256.0, 304.0: 320.0},
    nl.float8_e5m2: {9.0: 8.0, 11.0: 12.0, 9.01: 10.0, -9.0: -8.0},
    nl.tfloat32: {  # 12 bits
        1 + 2.0**-12: 1.0, 1 + 3 * 2.0**-12: 1 + 2.0**-10, 1 + 2.0**-12 + 2.0**-23: 1 + 2.0**-11,
    },
}  # fmt: skip


@pytest.mark.parametrize("dtype", ROUNDED)
def test_floats_are_rounded_to_nearest_and_ties_to_even(converted, dtype):
    numbers = ROUNDED[dtype]
    assert same(converted(dtype, *numbers), list(numbers.values()))


# dtype: exponent of the smallest subnormal
SMALLEST = {
    nl.bfloat16: -133, nl.float16: -24, nl.float8_e4m3: -9, nl.float8_e4m3fn: -9,
    nl.float8_e5m2: -16,
}  # fmt: skip


@pytest.mark.parametrize("dtype", SMALLEST)
def test_subnormal_numbers_are_kept_and_rounded_like_others(converted, dtype):
    least = 2.0 ** SMALLEST[dtype]
    halves = [least * n / 2 for n in (0, 1, 1.25, 2, 3, 4, 5)]
    want = [least * n for n in (0, 0, 1, 1, 2, 2, 2)]  # 1/2 -> 0, 3/2 -> 2, 5/2 -> 2: even
    assert same(converted(dtype, *halves), want)
    assert same(converted(dtype, *[-n for n in halves]), [-n for n in want])


# dtype: largest number, the first number beyond what rounds to it, what that becomes
OVERFLOWS = {
    nl.bfloat16: (float(2**128 - 2**120), float(2**128 - 2**119), INF),
    nl.float16: (65504.0, 65520.0, INF),
    nl.float8_e4m3: (240.0, 248.0, 240.0),
    nl.float8_e4m3fn: (448.0, 464.01, 448.0),
    nl.float8_e5m2: (57344.0, 61440.0, 57344.0),
}


@pytest.mark.parametrize("dtype", OVERFLOWS)
def test_float8_saturates_and_wider_floats_overflow_to_infinity(converted, dtype):
    largest, beyond, becomes = OVERFLOWS[dtype]
    below = float(np.nextafter(np.float32(beyond), np.float32(0)))
    numbers = [largest, below, beyond, 3.4e38, INF]
    want = [largest, largest, becomes, becomes, becomes]
    assert same(converted(dtype, *numbers), want)
    assert same(converted(dtype, *[-n for n in numbers]), [-n for n in want])


# dtype, bits that a positive NaN becomes
NAN_BITS = {
    nl.bfloat16: 0x7FC0, nl.float16: 0x7E00, nl.float8_e4m3: 0x7C, nl.float8_e4m3fn: 0x7F,
    nl.float8_e5m2: 0x7E, nl.tfloat32: 0x7FC00000,
}  # fmt: skip


@pytest.mark.parametrize("dtype", NAN_BITS)
def test_nan_becomes_the_quiet_nan_of_its_sign(value, dtype):
    x = np.array([[0x7F800001, 0xFFFFFFFF, 0x7FC12345]], np.uint32).view(np.float32)
    made = value(lambda tile: WAYS["vector"](tile, dtype), x, target="trn3")
    positive = NAN_BITS[dtype]
    sign = 1 << (8 * made.itemsize - 1)
    bits = made.view(f"u{made.itemsize}")[0].tolist()
    assert bits == [positive, positive | sign, positive]


INTEGERS = {
    nl.int8: (-128, 127), nl.uint8: (0, 255), nl.int16: (-32768, 32767), nl.uint16: (0, 65535),
    nl.int32: (-(2**31), 2**31 - 1), nl.uint32: (0, 2**32 - 1),
}  # fmt: skip


@pytest.fixture(params=WAYS)
def truncated(request, value):
    """``truncated(dtype, *numbers)``: the integers that float32 numbers become."""

    def call(dtype, *numbers):
        given = np.array([numbers], np.float32)
        return value(lambda tile: WAYS[request.param](tile, dtype), given)[0].tolist()

    return call


@pytest.mark.parametrize("dtype", INTEGERS)
def test_floats_become_the_nearest_integer_and_ties_the_even_one(truncated, dtype):
    assert truncated(dtype, 0.5, 1.5, 2.5, 3.5, 2.499, 2.501, 100.5) == [0, 2, 2, 4, 2, 3, 100]
    low = INTEGERS[dtype][0]
    want = [0, -2, -2, -4] if low else [0] * 4
    assert truncated(dtype, -0.5, -1.5, -2.5, -3.5) == want


@pytest.mark.parametrize("dtype", INTEGERS)
def test_floats_beyond_the_integers_saturate(truncated, dtype):
    low, high = INTEGERS[dtype]
    assert truncated(dtype, 1e10, INF, -1e10, -INF) == [high, high, low, low]
    if high < 2**24:  # float32 has these halves
        assert truncated(dtype, high + 0.49, high + 0.5, low - 0.5) == [high, high, low]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_nan_becomes_the_last_integer_of_its_sign(value, dtype):
    x = np.array([[0x7FC00000, 0xFFC00000]], np.uint32).view(np.float32)
    low, high = INTEGERS[dtype]
    got = value(lambda tile: WAYS["vector"](tile, dtype), x)
    assert got[0].tolist() == [high, low]


@pytest.mark.parametrize("way", [w for w in WAYS if w != "dma"])
def test_integers_of_another_dtype_go_through_float32(value, way):
    x = np.array([[2**24 - 1, 2**24, 70000, -5]], np.int32)
    to_u16 = value(lambda tile: WAYS[way](tile, nl.uint16), x)
    assert to_u16[0].tolist() == [65535, 65535, 65535, 0]
    to_f32 = value(lambda tile: WAYS[way](tile, F32), x)
    assert to_f32[0].tolist() == [16777215.0, 16777216.0, 70000.0, -5.0]


def test_integers_above_two_to_the_24_are_rounded_when_they_change_dtype_and_it_is_told(ran):
    def kernel(x):
        made = WAYS["vector"](nl.load(x), nl.uint32)
        out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
        nl.store(out, made)
        return out

    x = np.array([[2**24 + 1, 2**24 + 3, 2**30 + 63, 2**30 + 65]], np.int32)
    result, codes = ran(kernel, x)
    # u = 2 at 2**24: ties to 2**24 and 2**24 + 4; u = 128 at 2**30
    assert result[0].tolist() == [2**24, 2**24 + 4, 2**30, 2**30 + 128]
    assert codes == ["NKI6009"]


@pytest.mark.parametrize("way", ["vector", "gpsimd", "dma"])
def test_integers_of_one_dtype_are_copied_bit_by_bit(value, way):
    x = np.array([[2**24 + 1, 2**31 - 1, -(2**31), -1]], np.int32)
    assert np.array_equal(value(lambda tile: WAYS[way](tile, I32), x), x)


@pytest.mark.parametrize("way", WAYS)
def test_a_scale_byte_converts_as_the_integer_that_it_is(value, way):
    x = np.array([[0, 127, 255]], np.uint8)
    got = value(lambda tile: WAYS[way](tile.view(float8_e8m0fnu), F32), x, target="trn3")
    assert got[0].tolist() == [0.0, 127.0, 255.0]


@pytest.mark.parametrize("way", WAYS)
def test_a_boolean_is_a_byte(value, way):
    x = np.array([[0.0, 1.0]], np.float32)
    got = value(lambda tile: WAYS[way](WAYS[way](tile, bool_), F32), x)
    assert got[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("dtype", "lanes"),
    [(nl.float8_e4m3fn_x4, 4), (nl.float8_e5m2_x4, 4), (nl.float4_e2m1fn_x4, 4)],
)
def test_a_packed_element_holds_four_values_and_none_of_its_own(rules, dtype, lanes):
    assert dtype.lanes == lanes

    def converts():
        WAYS["dma"](nl.ndarray((1, 4), dtype, nl.sbuf), F32)

    assert rules(converts, "trn3") == ["NKI2116"]


def test_float4_has_eight_magnitudes():
    """As stored in a packed element, first value in the lowest bits: 0x7530 is 0, 1.5, 3, 6."""
    grid = unpack(np.array([0x3210, 0x7654, 0xBA98], np.uint16), nl.float4_e2m1fn_x4)
    assert grid.tolist() == [[0, 0.5, 1, 1.5], [2, 3, 4, 6], [0, -0.5, -1, -1.5]]


def test_a_number_that_float32_does_not_hold_is_rounded_before_it_is_used(value):
    x = np.array([[3.0]], np.float32)
    assert value(lambda t: nl.multiply(t, 0.1), x)[0, 0] == np.float32(3) * np.float32(0.1)


def test_bfloat16_arguments_keep_their_bits_to_the_result(value):
    x = np.array([[1.0, 3.140625, -0.0, 1e-40]], ml_dtypes.bfloat16)
    assert value(nl.copy, x).tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_there_are_no_tensors_of_64_bit_integers(rules, dtype):
    for buffer in (nl.sbuf, nl.psum, nl.shared_hbm, nl.private_hbm):
        assert rules(lambda at=buffer: nl.ndarray((4, 4), dtype, at)) == ["NKI3004"]


def test_no_message_suggests_integers_of_64_bits(said):
    def body():
        tile, bias = (nl.ndarray((4, n), d, nl.sbuf) for n, d in ((4, F32), (1, nl.tfloat32)))
        nisa.activation(tile, nl.exp, tile, bias=bias)

    message, _ = said(body)
    assert "int32" in message
    assert "int64" not in message
