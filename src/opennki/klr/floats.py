"""float32 as bits: exact in both directions, also for NaNs with a payload."""

from __future__ import annotations

import struct
from math import isnan
from typing import Final

NAN: Final = 0x7FC00000
"""Bits of the usual NaN."""

_EXPONENT: Final = 0x7F800000


def bits_of(value: float) -> int:
    """Bits of the float32 that is nearest to `value`; payloads of NaNs stay.

    Raises: OverflowError if that would be infinite while `value` is not.
    """
    if isnan(value):
        (wide,) = struct.unpack(">Q", struct.pack(">d", value))
        payload = (wide >> 29) & 0x7FFFFF
        return (wide >> 63) << 31 | _EXPONENT | payload if payload else NAN
    found: int
    (found,) = struct.unpack(">I", struct.pack(">f", value))
    return found


def from_bits(bits: int) -> float:
    """The float32 with these bits, as a Python float."""
    payload = bits & 0x7FFFFF
    if bits & _EXPONENT == _EXPONENT and payload:
        wide = (bits >> 31) << 63 | 0x7FF << 52 | payload << 29
        return float(struct.unpack(">d", struct.pack(">Q", wide))[0])
    return float(struct.unpack(">f", struct.pack(">I", bits))[0])
