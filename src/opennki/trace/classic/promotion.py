"""The dtype of a result whose operands have different ones, in the first generation."""

from __future__ import annotations

from functools import reduce

from opennki.base.dtypes import (
    DType,
    bfloat16,
    bool_,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)

_SIGNED = (int8, int16, int32)
_UNSIGNED = (uint8, uint16, uint32)


def promoted(*dtypes: DType) -> DType:
    """The dtype that a result has by default: the one that holds the values of all `dtypes`.

    A float beats integers. Of two floats the wider is taken, and of two that are equally wide the
    next that holds both: float32 for float16 with bfloat16, bfloat16 for two formats of 8 bits.
    Integers go to the narrowest that holds both, int32 with uint32 to float32.

    Source: NKI 0.1, type promotion. Model: booleans are the narrowest integers; packed dtypes stay
    what the first operand is.
    """
    return reduce(_of_two, dtypes)


def _of_two(a: DType, b: DType) -> DType:
    if a == b or "packed" in (a.kind, b.kind) or b == bool_:
        return a
    if a == bool_:
        return b
    if a.is_float and b.is_float:
        return _of_floats(a, b)
    if a.is_float or b.is_float:
        return a if a.is_float else b
    return _of_integers(a, b)


def _of_floats(a: DType, b: DType) -> DType:
    if a.itemsize != b.itemsize:
        return max(a, b, key=lambda d: d.itemsize)
    if tfloat32 in (a, b):
        return float32
    return bfloat16 if a.itemsize == 1 else float32


def _of_integers(a: DType, b: DType) -> DType:
    if a.kind == b.kind:
        return max(a, b, key=lambda d: d.itemsize)
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    place = _UNSIGNED.index(unsigned) + 1
    return _SIGNED[place] if place < len(_SIGNED) else float32
