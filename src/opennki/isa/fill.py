"""Instructions that fill a tile without reading one: a constant, or a pattern of indices."""

from __future__ import annotations

from contextlib import suppress
from math import inf

import numpy as np

from opennki.base.codes import NKI2606, NKI2607
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import ALL, PACKED, DType, bool_, float8_e8m0fnu
from opennki.base.numerics import FLOAT32_END
from opennki.ir import ON_CHIP, SBUF, Inst, View, attr, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine
from .pattern import Pattern, normalise, pattern_problems, values

UNPACKED = frozenset(ALL) - PACKED


@instruction(
    "memset", emit="memset", bir="Memset", klr="MemSet", engines=(Engine.DVE, Engine.POOL),
    since=SUNDA,
)  # fmt: skip
class MemsetOp(Inst):
    """Write the number `value` to every element of `dst`.

    An integer `dst` takes integers that it can hold, a boolean one 0 and 1, a packed x4 one only 0,
    a float8_e8m0fnu one bytes (127 is the scale 1); another floating-point `dst` takes what float32
    rounds to a finite number, and rounds from there.

    Source: NKI ISA reference, memset. Model: which values match an integer dtype is not published
    in detail; here they must be representable.
    """

    dst: View = out(ON_CHIP, "P F")
    value: float = attr(float)

    def check(self, t: Target) -> Problems:
        dtype = self.dst.dtype
        if dtype in PACKED:
            if self.value != 0:
                yield problem(NKI2607, value=self.value, dtype=dtype)
        elif not holds(dtype, self.value):
            yield problem(NKI2606, value=self.value, dtype=dtype)

    def sem(self) -> Array:
        shape = (self.dst.partitions, self.dst.free_size)
        if self.dst.dtype.is_float:
            return np.full(shape, self.value, np.float32)
        return np.full(shape, int(self.value), self.dst.dtype.np)


def int_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer dtype; booleans hold 0 and 1, e8m0 scales a byte."""
    if dtype == bool_:
        return 0, 1
    if dtype == float8_e8m0fnu:
        return 0, 255
    limits = np.iinfo(dtype.np)
    return int(limits.min), int(limits.max)


def holds(dtype: DType, value: float) -> bool:
    """Whether `value` is an integer in range, or a number that float32 rounds to a finite one.

    float8_e8m0fnu converts as bytes do: its numbers are exponents plus 127.
    """
    if value != value or abs(value) == inf:
        return not dtype.is_int and dtype != float8_e8m0fnu
    if not dtype.is_int and dtype != float8_e8m0fnu:
        return abs(value) < FLOAT32_END
    low, high = int_range(dtype)
    return low <= value <= high and value == int(value)


@instruction(
    "iota", emit="index_value_inst", bir="Iota", klr="Iota", engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class IndexValueInst(Inst):
    """Fill `dst` with an affine pattern of indices.

    ``dst[p, (w, z, y, x)] = offset + p * channel_multiplier + w*step_w + z*step_z + y*step_y +
    x*step_x`` for a `pattern` ``((step_w, num_w), ...)`` of one to four pairs, in the
    form that `pattern.normalise` makes.

    Values are 32-bit integers and wrap; 32-bit integer tiles keep their bits, floating-point ones
    get them through float32. Source: NKI ISA reference, iota. Model: narrower integers saturate,
    as every conversion to an integer does; packed dtypes hold no indices and are refused.
    """

    dst: View = out(SBUF, "P F", UNPACKED)
    pattern: Pattern = attr(tuple)
    offset: int = attr(int, 0, bir="base")
    channel_multiplier: int = attr(int, 0)

    def prepare(self, t: Target) -> None:
        """The pattern as tuples; one that is none is left for `check`."""
        with suppress(ValueError):
            self.pattern = normalise(self.pattern)

    def check(self, t: Target) -> Problems:
        yield from pattern_problems(
            self, self.pattern, t, offset=self.offset,
            channel_multiplier=self.channel_multiplier,
        )  # fmt: skip

    def sem(self) -> Array:
        dtype = self.dst.dtype
        made = values(self.pattern, self.offset, self.channel_multiplier, self.dst.partitions)
        if dtype.is_float:
            return made.astype(np.float32)
        if dtype.itemsize < made.itemsize:
            made = made.clip(*int_range(dtype))
        return made.astype(dtype.np)
