"""Packed MX dtypes: one element holds four small floats, the first in its lowest bits.

Source: NKI ISA reference, quantize_mx and nc_matmul_mx; OCP Microscaling formats, version 1.0.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.dtypes import DType
from opennki.base.numerics import F32, from_f32

Array = NDArray[Any]

LANE: Final = {
    dtypes.float8_e4m3fn_x4: dtypes.float8_e4m3fn,
    dtypes.float8_e5m2_x4: dtypes.float8_e5m2,
}
"""What one lane of a packed float8 is. float4_e2m1fn exists in packed form only."""


@cache
def _values(dtype: DType) -> F32:
    """float32 value of each bit pattern of one lane."""
    bits = 8 * dtype.itemsize // dtype.lanes
    kind = LANE[dtype].np if dtype in LANE else np.dtype(ml_dtypes.float4_e2m1fn)
    values: F32 = np.arange(2**bits, dtype=np.uint8).view(kind).astype(np.float32)
    return values


def _shifts(dtype: DType) -> Array:
    """By how many bits each lane is to the left of the first."""
    bits = 8 * dtype.itemsize // dtype.lanes
    return np.arange(0, 8 * dtype.itemsize, bits, dtype=dtype.np)


def unpack(elements: Array, dtype: DType) -> F32:
    """The four values of each element, as float32: shape ``(*elements.shape, 4)``."""
    table = _values(dtype)
    values: F32 = table.take(
        (elements[..., None] >> _shifts(dtype)) & dtype.np.type(len(table) - 1)
    )
    return values


def pack(values: F32, dtype: DType) -> Array:
    """Elements of a packed float8 `dtype` from float32 values of shape ``(..., 4)``.

    Values are rounded to nearest even, and saturate.
    """
    lanes = from_f32(values, LANE[dtype]).view(np.uint8).astype(dtype.np)
    return np.asarray(np.bitwise_or.reduce(lanes << _shifts(dtype), axis=-1))
