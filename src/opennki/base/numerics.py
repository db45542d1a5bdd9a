"""Conversions between stored elements and float32, and what storage each dtype has.

Every conversion goes source -> float32 -> destination; equal dtypes are a bit copy. What the
engines compute in between is `sem` of the instruction, not here.

- Float to float: round to nearest even; subnormals are kept; NaN stays a quiet NaN of its sign.
- Float to integer: round to nearest even, then saturate; NaN becomes the largest integer, or the
  smallest when its sign bit is set.
- float8 saturates at its largest finite value unless told otherwise; then float8_e4m3fn overflows
  to NaN, float8_e5m2 and float8_e4m3 to infinity.
  Model: infinities saturate too, and the older float8_e4m3 (which has infinities) saturates at 240.
  range_select, whose -FP32_MAX becomes -inf, does not saturate where there are infinities.
- float8_e8m0fnu converts as if it were uint8. bool is stored, and converts, as uint8: BIR has no
  other type for it. Packed MX types have no single value and are refused.

With ``precise=False`` (NKI_PRECISE_FP=0) floats narrower than float32 are stored as float32 and
never rounded, so that rounding can be told from wrong logic.

Source: NKI "Supported Data Types"; BIR numerics; nki.simulate, "Precise Floating-Point Mode".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.dtypes import DType

Array = NDArray[Any]
F32 = NDArray[np.float32]

FLOAT32_END: Final = 3.4028235677973366e38
"""The least number that float32 rounds to infinity."""

NARROW_FLOATS: Final = dtypes.FP8 | {dtypes.float16, dtypes.bfloat16, dtypes.tfloat32}
"""Floats that ``precise=False`` keeps as unrounded float32; float8_e8m0fnu is a raw byte."""

INFINITE_FP8: Final = frozenset({dtypes.float8_e4m3, dtypes.float8_e5m2})
"""float8 types that have infinities."""

_TF32_DROPPED_BITS: Final = 12
"""Model: 11 explicit mantissa bits, as BIR's simulator keeps; the NKI table says 10."""


def storage(dtype: DType, precise: bool = True) -> np.dtype[Any]:
    """NumPy dtype that holds elements of `dtype` in simulated memory."""
    return dtype.np if precise or dtype not in NARROW_FLOATS else np.dtype(np.float32)


def to_f32(array: Array, dtype: DType, precise: bool = True) -> F32:
    """Values of stored elements, as float32.

    Args: array, any shape, of ``storage(dtype, precise)``. Integers beyond 2^24 are rounded.
    Returns: same shape; `array` itself when it is float32 already, so do not write to it.
    Raises: TypeError for packed dtypes.
    """
    stored = storage(dtype, precise)
    assert array.dtype == stored, f"{dtype} is stored as {stored}, not {array.dtype}"
    if stored == np.float32:
        return array
    if dtype in _LOOKED_UP:
        return _widening_table(dtype).take(array.view(f"u{array.dtype.itemsize}"))
    if dtype == dtypes.float8_e8m0fnu:
        array = array.view(np.uint8)
    _refuse_packed(dtype)
    return array.astype(np.float32)


def from_f32(values: F32, dtype: DType, precise: bool = True, saturate: bool = True) -> Array:
    """Elements of `dtype` that `values` become, by the rules at the top of this file.

    Args: values, float32 of any shape; saturate, whether float8 overflow gives the largest finite
    value.
    Returns: same shape, of ``storage(dtype, precise)``; `values` itself when nothing changes.
    Raises: TypeError for packed dtypes.
    """
    assert values.dtype == np.float32, f"engines compute in float32, not {values.dtype}"
    if dtype == dtypes.float32 or not (precise or dtype not in NARROW_FLOATS):
        return values
    if dtype in dtypes.FP8:
        return _to_fp8(values, dtype, saturate)
    if dtype == dtypes.float8_e8m0fnu:
        return _to_int(values, dtypes.uint8).view(dtype.np)
    _refuse_packed(dtype)
    return _to_int(values, dtype) if dtype.is_int else _ROUND[dtype](values)


def cast(
    array: Array, src: DType, dst: DType, precise: bool = True, saturate: bool = True
) -> Array:
    """Stored elements of `src` as stored elements of `dst`; equal dtypes keep every bit.

    Returns: same shape; may be `array` itself. Raises: TypeError when only one of them is packed,
    or both are and differ.
    """
    if src == dst:
        return array
    return from_f32(to_f32(array, src, precise), dst, precise, saturate)


def poison(dtype: DType, precise: bool = True) -> bytes:
    """Bytes of one element of memory that nothing has written: NaN, 4, or all ones if packed.

    Source: nki.simulate (floats NaN, integers 4). Model: all ones for packed types, which makes
    their float8 lanes NaN.
    """
    if dtype in dtypes.PACKED:
        return b"\xff" * dtype.itemsize
    value = np.nan if dtype.is_float else 4
    return np.array([value]).astype(storage(dtype, precise)).tobytes()


def _refuse_packed(dtype: DType) -> None:
    if dtype in dtypes.PACKED:
        raise TypeError(
            f"{dtype} holds {dtype.lanes} values per element and has no float32 form: "
            "unpack it with its scales first"
        )


_LOOKED_UP: Final = dtypes.FP8 | {dtypes.float16}
"""Types widened through a table: 2 to 5 times faster than astype on a 128 x 512 tile."""


@cache
def _widening_table(dtype: DType) -> F32:
    """float32 value of each bit pattern of a one- or two-byte float."""
    bits = 8 * dtype.itemsize
    patterns = np.arange(2**bits, dtype=f"u{dtype.itemsize}")
    with np.errstate(all="ignore"):
        return patterns.view(dtype.np).astype(np.float32)


@cache
def _fp8_table(dtype: DType, saturate: bool) -> NDArray[np.uint8]:
    """float8 bits for each upper half of a float32."""
    values = (np.arange(2**16, dtype=np.uint32) << np.uint32(16)).view(np.float32)
    with np.errstate(all="ignore"):
        if saturate:
            largest = _LARGEST_FP8[dtype]
            values = np.clip(values, -largest, largest)
        return values.astype(dtype.np).view(np.uint8)


_LARGEST_FP8: Final = {
    dtypes.float8_e4m3: np.float32(240),
    dtypes.float8_e4m3fn: np.float32(448),
    dtypes.float8_e5m2: np.float32(57344),
}


def _to_fp8(values: F32, dtype: DType, saturate: bool) -> Array:
    """Round to float8 through a table of the upper 16 bits: 4 times faster than astype.

    Those bits hold 8 significant digits, at least 4 more than any float8, so it is enough to know
    whether the lower half is zero. Its "or" goes into the lowest upper bit (rounding to odd), which
    then breaks or keeps ties exactly as the full number would.
    """
    bits = values.view(np.uint32)
    upper = (bits >> np.uint32(16)).astype(np.uint16)
    upper |= (bits & np.uint32(0xFFFF)) != 0
    return _fp8_table(dtype, saturate).take(upper).view(dtype.np)


def _to_int(values: F32, dtype: DType) -> Array:
    info = np.iinfo(dtype.np)
    highest = np.float32(info.max)
    exact = int(highest) == info.max
    if not exact:  # rounded up to a power of two, which does not fit
        highest = np.nextafter(highest, np.float32(0))
    with np.errstate(invalid="ignore"):  # NaN is dealt with below
        rounded = np.rint(values)
        out = np.asarray(np.clip(rounded, np.float32(info.min), highest).astype(dtype.np))
    if not exact:
        out[rounded > highest] = info.max
    nan = np.isnan(values)
    if nan.any():
        low, high = dtype.np.type(info.min), dtype.np.type(info.max)
        out[nan] = np.where(np.signbit(values[nan]), low, high)
    return out


def _to_bfloat16(values: F32) -> Array:
    with np.errstate(all="ignore"):
        return values.astype(dtypes.bfloat16.np)


def _to_float16(values: F32) -> Array:
    with np.errstate(all="ignore"):
        out = values.astype(np.float16)
    nan = np.isnan(values)
    if nan.any():  # NumPy keeps payload bits; the engines give one quiet NaN per sign
        out[nan] = np.copysign(np.float16(np.nan), values[nan])
    return out


def _to_tfloat32(values: F32) -> Array:
    bits = values.view(np.uint32)
    drop = np.uint32(_TF32_DROPPED_BITS)
    half = np.uint32((1 << (_TF32_DROPPED_BITS - 1)) - 1)
    odd = (bits >> drop) & np.uint32(1)
    out = np.asarray((((bits + half + odd) >> drop) << drop).view(np.float32))
    nan = np.isnan(values)
    if nan.any():
        out[nan] = np.copysign(np.float32(np.nan), values[nan])
    return out


_ROUND: Final[dict[DType, Callable[[F32], Array]]] = {
    dtypes.bfloat16: _to_bfloat16,
    dtypes.float16: _to_float16,
    dtypes.tfloat32: _to_tfloat32,
}
