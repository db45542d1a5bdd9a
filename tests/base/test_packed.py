"""Packed elements of four small floats: which bits belong to which value."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.base.packed import pack, unpack

E4M3, E5M2, E2M1 = dt.float8_e4m3fn_x4, dt.float8_e5m2_x4, dt.float4_e2m1fn_x4


@pytest.mark.parametrize("dtype", [E4M3, E5M2])
def test_the_first_value_of_an_element_is_in_its_lowest_byte(dtype: DType) -> None:
    values = np.array([[1.0, -2.0, 0.5, 0.0]], np.float32)
    element = pack(values, dtype)
    bytes_ = {E4M3: 0x0030C038, E5M2: 0x0038C03C}[dtype]
    assert element.dtype == np.uint32
    assert element.tolist() == [bytes_]
    assert unpack(element, dtype).tolist() == values.tolist()


def test_every_pattern_of_four_bits_has_its_value() -> None:
    low = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    elements = np.array([0x3210, 0x7654, 0xBA98, 0xFEDC], np.uint16)
    got = unpack(elements, E2M1)
    assert got.dtype == np.float32
    assert got.ravel().tolist() == [*low, *(-v for v in low)]
    assert np.signbit(got[2, 0])  # 1000 is -0


@pytest.mark.parametrize("dtype", [E4M3, E5M2])
def test_packing_what_was_unpacked_keeps_every_finite_pattern(dtype: DType) -> None:
    patterns = np.arange(256, dtype=np.uint32)
    values = unpack(patterns, dtype)
    finite = np.isfinite(values).all(axis=-1)
    assert finite.sum() == {E4M3: 254, E5M2: 248}[dtype]
    assert np.array_equal(pack(values[finite], dtype), patterns[finite])
