"""Casts against nearest-value searches and integer arithmetic, over all patterns of small types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.dtypes import DType
from opennki.base.numerics import NARROW_FLOATS, cast, from_f32, poison, storage, to_f32

Array = NDArray[Any]
FORMATS = {  # exponent bits, mantissa bits, bias, largest finite value
    dtypes.bfloat16: (8, 7, 127, 2.0**128 - 2.0**120),
    dtypes.float16: (5, 10, 15, 65504.0),
    dtypes.float8_e4m3: (4, 3, 7, 240.0),
    dtypes.float8_e4m3fn: (4, 3, 7, 448.0),
    dtypes.float8_e5m2: (5, 2, 15, 57344.0),
}
SMALL = list(FORMATS)
any_f32 = st.integers(0, 2**32 - 1).map(lambda bits: bits_to_f32([bits]))


def bits_to_f32(bits: Sequence[int]) -> NDArray[np.float32]:
    return np.array(bits, np.uint32).view(np.float32)


def f32(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def bits_of(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


def all_patterns(dtype: DType) -> Array:
    return np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}").view(dtype.np)


def decode(dtype: DType, bits: int) -> float:
    """Value of a bit pattern, from the definition of the format."""
    exponent_bits, mantissa_bits, bias, _ = FORMATS[dtype]
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) else 1.0
    exponent = (bits >> mantissa_bits) & (2**exponent_bits - 1)
    mantissa = bits & (2**mantissa_bits - 1)
    if dtype == dtypes.float8_e4m3fn:
        if exponent == 15 and mantissa == 7:
            return math.nan
    elif exponent == 2**exponent_bits - 1:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa + 2**mantissa_bits, exponent - bias - mantissa_bits)


@pytest.mark.parametrize("dtype", SMALL)
def test_widening_is_the_value_of_every_pattern(dtype: DType) -> None:
    got = to_f32(all_patterns(dtype), dtype)
    assert got.dtype == np.float32
    want = np.array([decode(dtype, b) for b in range(2 ** (8 * dtype.itemsize))])
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("dtype", SMALL)
def test_every_finite_pattern_survives_a_round_trip(dtype: DType) -> None:
    stored = all_patterns(dtype)
    wide = to_f32(stored, dtype)
    back = from_f32(wide, dtype)
    assert back.dtype == dtype.np
    finite = np.isfinite(wide)
    np.testing.assert_array_equal(bits_of(back)[finite], bits_of(stored)[finite])
    nan = np.isnan(wide)
    again = to_f32(back, dtype)[nan]
    assert np.isnan(again).all()
    assert nan.any()


@pytest.mark.parametrize("dtype", SMALL)
def test_ties_go_to_the_even_pattern_and_neighbours_to_the_nearest(dtype: DType) -> None:
    """Every midpoint of two adjacent positive values, and the float32 on either side of it."""
    _, _, _, largest = FORMATS[dtype]
    top = next(b for b in range(2 ** (8 * dtype.itemsize)) if decode(dtype, b) == largest)
    values = np.array([decode(dtype, b) for b in range(top + 1)])
    middle = ((values[1:] + values[:-1]) / 2).astype(np.float32)
    lower = np.arange(top)
    even = lower + (lower & 1)
    below = np.nextafter(middle, np.float32(0))
    above = np.nextafter(middle, np.float32(np.inf))
    for sign in (1, -1):
        high_bit = 0 if sign == 1 else 1 << (8 * dtype.itemsize - 1)
        for x, want in ((middle, even), (below, lower), (above, lower + 1)):
            got = bits_of(from_f32(np.float32(sign) * x, dtype))
            np.testing.assert_array_equal(got, want | high_bit)


@pytest.mark.parametrize("dtype", SMALL)
@given(x=any_f32)
def test_no_stored_value_is_nearer(dtype: DType, x: NDArray[np.float32]) -> None:
    _, _, _, largest = FORMATS[dtype]
    got = to_f32(from_f32(x, dtype), dtype)
    if np.isnan(x[0]):
        assert np.isnan(got[0])
        return
    if abs(x[0]) > largest:
        return  # overflow has its own tests
    grid = to_f32(all_patterns(dtype), dtype)
    grid = grid[np.isfinite(grid)].astype(np.float64)
    assert abs(float(got[0]) - float(x[0])) == np.abs(grid - float(x[0])).min()


@pytest.mark.parametrize("dtype", [dtypes.float8_e4m3, dtypes.float8_e4m3fn, dtypes.float8_e5m2])
def test_float8_saturates_by_default(dtype: DType) -> None:
    largest = FORMATS[dtype][3]
    x = f32(largest, largest * 1.01, largest * 2, 3e38, np.inf)
    assert to_f32(from_f32(x, dtype), dtype).tolist() == [largest] * 5
    assert to_f32(from_f32(-x, dtype), dtype).tolist() == [-largest] * 5


@pytest.mark.parametrize(
    ("dtype", "tie", "overflow"),
    [
        (dtypes.float8_e4m3, 248.0, np.inf),
        (dtypes.float8_e4m3fn, 464.0, np.nan),
        (dtypes.float8_e5m2, 61440.0, np.inf),
    ],
)
def test_float8_without_saturation(dtype: DType, tie: float, overflow: float) -> None:
    """The tie above the largest value goes up where that has an odd pattern, else down."""
    largest = FORMATS[dtype][3]
    x = f32(np.nextafter(np.float32(tie), np.float32(0)), tie, tie * 1.001, 3e38, np.inf)
    at_tie = largest if dtype == dtypes.float8_e4m3fn else overflow
    got = to_f32(from_f32(x, dtype, saturate=False), dtype)
    np.testing.assert_array_equal(got, f32(largest, at_tie, overflow, overflow, overflow))


def test_sixteen_bit_floats_overflow_to_infinity() -> None:
    x = f32(65519.99, 65520.0, -1e9)
    got = to_f32(from_f32(x, dtypes.float16), dtypes.float16)
    assert got.tolist() == [65504, np.inf, -np.inf]
    largest = np.finfo(np.float32).max
    assert bits_of(from_f32(f32(largest, -largest), dtypes.bfloat16)).tolist() == [0x7F80, 0xFF80]


NAN_BITS = {  # quiet NaN of each sign
    dtypes.bfloat16: (0x7FC0, 0xFFC0),
    dtypes.float16: (0x7E00, 0xFE00),
    dtypes.tfloat32: (0x7FC00000, 0xFFC00000),
    dtypes.float8_e4m3: (0x7C, 0xFC),
    dtypes.float8_e4m3fn: (0x7F, 0xFF),
    dtypes.float8_e5m2: (0x7E, 0xFE),
}


@pytest.mark.parametrize("dtype", NAN_BITS)
@pytest.mark.parametrize("payload", [0x400000, 1, 0x7FFFFF, 0x2000])
def test_nan_becomes_the_quiet_nan_of_its_sign(dtype: DType, payload: int) -> None:
    x = bits_to_f32([0x7F800000 | payload, 0xFF800000 | payload])
    assert tuple(bits_of(from_f32(x, dtype)).tolist()) == NAN_BITS[dtype]


@given(x=any_f32)
def test_tfloat32_keeps_eleven_mantissa_bits(x: NDArray[np.float32]) -> None:
    got = from_f32(x, dtypes.tfloat32)[0]
    if not np.isfinite(x[0]):
        assert np.isnan(got) if np.isnan(x[0]) else got == x[0]
        return
    exact = float(x[0])
    step = math.ldexp(1.0, max(math.frexp(exact)[1] - 1, -126) - 11)
    with np.errstate(over="ignore"):
        assert got == np.float32(round(exact / step) * step)  # round() takes ties to even


# Integers.

INTS = sorted(dtypes.INTS - {dtypes.bool_})


def to_int_reference(value: float, bits: int, dtype: DType) -> int:
    low, high = int(np.iinfo(dtype.np).min), int(np.iinfo(dtype.np).max)
    if math.isnan(value):
        return low if bits >> 31 else high
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(round(value), low), high)


@pytest.mark.parametrize("dtype", INTS)
@given(bits=st.integers(0, 2**32 - 1))
def test_float_to_int_rounds_to_even_and_saturates(dtype: DType, bits: int) -> None:
    x = bits_to_f32([bits])
    got = from_f32(x, dtype)
    assert got.dtype == dtype.np
    assert int(got[0]) == to_int_reference(float(x[0]), bits, dtype)


@pytest.mark.parametrize("dtype", INTS)
@given(x=st.floats(-300, 300, width=32) | st.integers(-600, 600).map(lambda n: n / 2))
def test_float_to_int_near_zero(dtype: DType, x: float) -> None:
    assert int(from_f32(f32(x), dtype)[0]) == to_int_reference(x, 0, dtype)


@pytest.mark.parametrize("dtype", INTS)
def test_edges_of_the_integer_range(dtype: DType) -> None:
    edges = [2.0**k * s for k in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)]
    x = np.concatenate([np.nextafter(f32(*edges), np.float32(t)) for t in (-np.inf, 0, np.inf)])
    x = np.concatenate([x, f32(*edges, np.inf, -np.inf)])
    assert from_f32(x, dtype).tolist() == [to_int_reference(float(v), 0, dtype) for v in x]


def test_nan_to_int_follows_its_sign() -> None:
    nan = bits_to_f32([0x7FC00000, 0xFFC00000])
    assert from_f32(nan, dtypes.int8).tolist() == [127, -128]
    assert from_f32(nan, dtypes.uint16).tolist() == [65535, 0]
    assert from_f32(nan, dtypes.int32).tolist() == [2**31 - 1, -(2**31)]


@given(value=st.integers(-(2**31), 2**31 - 1))
def test_int_to_int_goes_through_float32(value: int) -> None:
    x = np.array([value], np.int32)
    assert to_f32(x, dtypes.int32)[0] == np.float32(value)
    assert int(cast(x, dtypes.int32, dtypes.int16)[0]) == max(-(2**15), min(value, 2**15 - 1))


def test_integers_above_two_to_the_24_lose_bits() -> None:
    x = np.array([2**24 + 1, 2**31 - 1], np.int32)
    assert cast(x, dtypes.int32, dtypes.uint32).tolist() == [2**24, 2**31]
    assert cast(x, dtypes.int32, dtypes.int32).tolist() == x.tolist()


# Everything else.


@pytest.mark.parametrize("dtype", dtypes.ALL)
def test_equal_dtypes_keep_every_bit(dtype: DType) -> None:
    raw = np.random.default_rng(0).integers(0, 256, 64 * dtype.itemsize, dtype=np.uint8)
    stored = raw.view(dtype.np)
    assert cast(stored, dtype, dtype).tobytes() == raw.tobytes()


def test_float32_is_not_copied() -> None:
    x = f32(1, 2)
    assert from_f32(x, dtypes.float32) is x
    assert to_f32(x, dtypes.float32) is x


@pytest.mark.parametrize("dtype", sorted(dtypes.PACKED))
def test_packed_types_have_no_arithmetic(dtype: DType) -> None:
    stored = np.zeros(4, dtype.np)
    with pytest.raises(TypeError, match=f"{dtype} holds 4 values per element"):
        to_f32(stored, dtype)
    with pytest.raises(TypeError, match=f"{dtype} holds 4 values per element"):
        from_f32(f32(1), dtype)
    with pytest.raises(TypeError, match="holds 4 values"):
        cast(stored, dtype, dtypes.bfloat16)


def test_e8m0_is_a_raw_byte() -> None:
    stored = np.array([0, 127, 255], np.uint8).view(dtypes.float8_e8m0fnu.np)
    assert to_f32(stored, dtypes.float8_e8m0fnu).tolist() == [0, 127, 255]
    back = from_f32(f32(0, 126.5, 300), dtypes.float8_e8m0fnu)
    assert back.dtype == dtypes.float8_e8m0fnu.np
    assert back.view(np.uint8).tolist() == [0, 126, 255]


def test_bool_converts_as_uint8() -> None:
    assert from_f32(f32(0, 1, -1, 2), dtypes.bool_).tolist() == [0, 1, 0, 2]
    assert to_f32(np.array([0, 1], np.uint8), dtypes.bool_).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [*SMALL, dtypes.tfloat32, dtypes.int8, dtypes.float8_e8m0fnu])
def test_shapes_and_strided_views(dtype: DType) -> None:
    x = np.linspace(-9, 9, 48, dtype=np.float32).reshape(4, 12)
    flat = from_f32(x.ravel(), dtype)
    for view, want in ((x.T, flat.reshape(4, 12).T), (x[::2, ::3], flat.reshape(4, 12)[::2, ::3])):
        assert bits_of(from_f32(view, dtype).copy()).tolist() == bits_of(want.copy()).tolist()
        assert to_f32(want, dtype).tolist() == to_f32(want.copy(), dtype).tolist()
    scalar = from_f32(np.array(np.nan, np.float32), dtype)
    assert scalar.shape == ()
    assert from_f32(np.zeros((0, 3), np.float32), dtype).shape == (0, 3)


# NKI_PRECISE_FP=0.


def test_narrow_floats_are_stored_as_float32_when_not_precise() -> None:
    for dtype in dtypes.ALL:
        wide = dtype in NARROW_FLOATS
        assert storage(dtype) == dtype.np
        assert storage(dtype, precise=False) == (np.float32 if wide else dtype.np)
    assert {*dtypes.FP8, dtypes.bfloat16, dtypes.float16, dtypes.tfloat32} == NARROW_FLOATS


@pytest.mark.parametrize("dtype", sorted(NARROW_FLOATS))
def test_imprecise_casts_do_not_round(dtype: DType) -> None:
    x = f32(1 + 2.0**-20, 1e30)
    assert from_f32(x, dtype, precise=False).tolist() == x.tolist()
    assert to_f32(x, dtype, precise=False).tolist() == x.tolist()
    assert from_f32(x, dtype)[0] != x[0]


def test_imprecise_casts_still_round_to_integers() -> None:
    x = f32(2.5, 300)
    assert cast(x, dtypes.bfloat16, dtypes.int8, precise=False).tolist() == [2, 127]
    back = cast(np.array([2**24 + 1], np.int32), dtypes.int32, dtypes.float16, precise=False)
    assert (back.dtype, back.tolist()) == (np.float32, [2**24])


# Poison.


@pytest.mark.parametrize("precise", [True, False])
@pytest.mark.parametrize("dtype", dtypes.ALL)
def test_poison_is_nan_or_four(dtype: DType, precise: bool) -> None:
    fill = poison(dtype, precise)
    assert len(fill) == storage(dtype, precise).itemsize
    element = np.frombuffer(fill, storage(dtype, precise))
    if dtype in dtypes.PACKED:
        assert set(fill) == {0xFF}
    elif dtype.is_float:
        assert np.isnan(element.astype(np.float32)[0])
    else:
        assert element[0] == 4


def test_strange_objects_name_no_dtype():
    class Strange:
        dtype = object()

    with pytest.raises(KeyError):
        dtypes.dtype(Strange())
