"""Patterns ``[[step, num], ...]``: nested counters that GpSimd turns into a stream of integers.

`iota` stores the stream, `affine_select` compares it with zero. For partition p and indices
i1, ..., in (outermost first) the value is
``offset + channel_multiplier * p + step1 * i1 + ... + stepn * in`` in 32-bit integer arithmetic.

Source: NKI ISA reference, iota and affine_select.
"""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI2601, NKI2602, NKI2605
from opennki.base.diag import Problems, problem
from opennki.ir import Inst, View
from opennki.ir.scalar import Array
from opennki.target import Target

Pattern = tuple[tuple[int, int], ...]
"""``((step, num), ...)``, outermost first."""

_INT: Final = (int, np.integer)
_INT32: Final = np.iinfo(np.int32)


def normalise(pattern: object) -> Pattern:
    """`pattern` as a tuple of ``(step, num)`` pairs, outermost first; nothing is padded or merged.

    Raises: ValueError unless it is a non-empty list or tuple of pairs of integers with
    ``num >= 1``.
    """
    if not isinstance(pattern, list | tuple) or not pattern:
        raise ValueError(f"{pattern!r} is not a list of [step, num] pairs")
    return tuple(_pair(entry) for entry in pattern)


def _pair(entry: object) -> tuple[int, int]:
    if not isinstance(entry, list | tuple) or len(entry) != 2 or not all(map(_is_int, entry)):
        raise ValueError(f"{entry!r} is not a pair of integers")
    if entry[1] < 1:
        raise ValueError(f"{entry!r} counts {entry[1]} steps")
    return int(entry[0]), int(entry[1])


def _is_int(value: object) -> bool:
    return isinstance(value, _INT) and not isinstance(value, bool)


def pattern_problems(inst: Inst, pattern: object, t: Target, **numbers: object) -> Problems:
    """Rules of the `pattern` that gives one value to each element of ``inst.dst``.

    One to four pairs (as many as an access pattern has free dimensions), whose counts multiply to
    the elements per partition of `dst`. Steps and `numbers` (further attributes, by name) are
    int32; a number may also depend on loop variables.
    """
    label = inst.spec.label
    try:
        pairs = normalise(pattern)
    except ValueError as error:
        yield problem(NKI2602, pattern=str(pattern), why=str(error))
        return
    if len(pairs) > t.ap_dims - 1:
        yield problem(NKI2602, pattern=str(pattern), why=f"it has {len(pairs)} pairs")
        return
    dst: View = inst.dst  # type: ignore[attr-defined]  # every generator has one
    count = prod(num for _, num in pairs)
    if count != dst.free_size:
        yield problem(NKI2601, operand="dst", inst=label, got=count, want=dst.free_size)
    numbers |= {f"step {k} of pattern": step for k, (step, _) in enumerate(pairs)}
    for name, number in numbers.items():
        if not _is_int32(number):
            yield problem(NKI2605, name=name, got=number)


def _is_int32(number: object) -> bool:
    """Whether `number` is an int32, in every trip of the loops it depends on."""
    if isinstance(number, AffineExpr):
        low, high = number.bounds()
        return _INT32.min <= low <= high <= _INT32.max
    return _is_int(number) and _INT32.min <= number <= _INT32.max  # type: ignore[operator]  # int


def values(pattern: object, offset: int, channel_multiplier: int, partitions: int) -> Array:
    """The stream of each partition: int32 of shape (partitions, product of the counts).

    The last pair runs fastest; sums wrap around. Raises: ValueError as `normalise` does.
    """
    rows = offset + channel_multiplier * np.arange(partitions, dtype=np.int64)[:, None]
    for step, num in normalise(pattern):
        rows = (rows[:, :, None] + step * np.arange(num, dtype=np.int64)).reshape(partitions, -1)
    return rows.astype(np.int32)
