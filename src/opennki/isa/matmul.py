"""Matrix products on the PE array."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from opennki.base.affine import AffineExpr
from opennki.base.codes import (
    NKI2103,
    NKI2104,
    NKI2106,
    NKI2116,
    NKI2123,
    NKI2124,
    NKI2133,
    NKI2201,
    NKI2203,
    NKI2204,
    NKI2205,
    NKI2206,
    NKI2207,
    NKI2208,
    NKI2209,
    NKI2210,
    NKI2214,
    NKI2219,
)
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import (
    FP8,
    DType,
    bfloat16,
    float8_e4m3,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    names,
    tfloat32,
)
from opennki.ir import PSUM, SBUF, Inst, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import CAYMAN, SUNDA, Target

from .enums import Engine, MatmulPerfMode
from .opcheck import by_element

WIDE = frozenset({float32, tfloat32})
PE_INPUTS = FP8 | WIDE | {bfloat16, float16}
ACCUMULATORS = frozenset({float32, bfloat16})
INDIRECT = frozenset({float16, bfloat16, float8_e4m3, float8_e5m2, float8_e4m3fn})
DOUBLE_ROW = MatmulPerfMode.DOUBLE_ROW
PAIR = 2


@instruction(
    "nc_matmul", emit="matmult", bir="Matmult", klr="NcMatMul", engines=(Engine.PE,), since=SUNDA,
)  # fmt: skip
class MatMulOp(Inst):
    """Matrix product on the PE array: ``dst[M, N] (+)= stationary[K, M].T @ moving[K, N]``.

    Products are exact and summed in float32. `accumulate` says whether the sum is added to what
    PSUM holds; None adds where `dst` was written before and overwrites elsewhere.

    With `perf_mode` double_row the contraction also covers the first free dimension, which is 2:
    ``dst[M, N] = sum over k, j of stationary[k, j, M] * moving[k, j, N]``.

    `tile_position` and `tile_size`, each ``(row, column)``, confine the product to a part of the
    array so that several can run at once; they change no values. The onezero hints say that an
    operand has nothing but ones and zeros, which makes float32 faster; with other values the device
    may be wrong, and a simulation warns.

    `is_transpose`, with the identity matrix as `moving`, transposes `stationary`. From gen3 on that
    moves bits: every column of `moving` picks the row of `stationary` where it is not zero, and
    `dst` has the dtype of `stationary`. On gen2 it is an ordinary product, in which one NaN or
    infinity spreads to others. `bit_accurate` records which; the target decides (`prepare`).

    Source: NKI ISA reference, nc_matmul; trn2 architecture guide, "Built-in Transpose Support".
    Model: sums are formed in double precision and rounded once, so that their order, which is not
    published, does not show. A column of zeros in `moving` picks zeros, several nonzeros the first;
    every dtype may be transposed, and what is no float always as bits; 8-bit transposes stay 8 bits
    wide. Where a hint is wrong the values are those without it.
    """

    indirect = ("dst", "stationary", "moving")

    dst: View = out(PSUM, "M N", accumulate="accumulate")
    stationary: View = inp(SBUF, "K *", K="pe_rows")
    moving: View = inp(SBUF, "K *", K="pe_rows")
    is_stationary_onezero: bool = attr(bool, False, bir="is_weight_onezero")
    is_moving_onezero: bool = attr(bool, False, bir="is_fmap_onezero")
    is_transpose: bool = attr(bool, False)
    accumulate: bool | None = attr(bool, None, optional=True, bir="")
    tile_position: tuple[int, ...] = attr(tuple, ())
    tile_size: tuple[int, ...] = attr(tuple, ())
    perf_mode: MatmulPerfMode = attr(
        MatmulPerfMode, MatmulPerfMode.NONE, since={DOUBLE_ROW: CAYMAN}
    )
    bit_accurate: bool = attr(bool, True, bir="", surface=False)

    def prepare(self, t: Target) -> None:
        """Positions and sizes become tuples; the target says how it transposes."""
        self.tile_position = tuple(self.tile_position)
        self.tile_size = tuple(self.tile_size)
        floats = self.stationary.dtype.is_float
        self.bit_accurate = t.has("bit_accurate_transpose") or not floats

    def check(self, t: Target) -> Problems:
        if self.is_transpose:
            yield from self._transpose_problems(t)
        else:
            yield from self._dtype_problems(t)
        if self.perf_mode is DOUBLE_ROW:
            found = list(self._double_row_problems())
            yield from found
            if any(one.code is NKI2205 for one in found):
                return  # without pairs, M and N are not what the author thinks
        yield from self._size_problems(t)
        yield from self._tile_problems(t)
        yield from self._indirect_problems()

    def _indirect_problems(self) -> Problems:
        """What has a run-time index for every element."""
        for operand, view in self.views():
            if not by_element(view):
                continue
            why = ""
            if view.dtype not in INDIRECT:
                why = f" of {view.dtype}, only of {names(INDIRECT)}"
            elif self.is_transpose and operand.name == "moving":
                why = " when is_transpose is set"
            if why:
                yield problem(NKI2133, operand=operand.name, inst=self.spec.label, why=why)
        yield from untiled_problems(self, self.tile_position)

    def read_mode(self) -> Read:
        """Bits for a bit-accurate transpose, float32 otherwise."""
        return Read.RAW if self.is_transpose and self.bit_accurate else Read.F32

    def watch(self, stationary: Array, moving: Array) -> Problems:
        """A transpose that is a product spreads NaN and infinity; hints may be wrong."""
        yield from spreading(self.bit_accurate or not self.is_transpose, stationary)
        if self.is_stationary_onezero:
            yield from _hint_problems("stationary", self.stationary.dtype, stationary)
        if self.is_moving_onezero:
            yield from _hint_problems("moving", self.moving.dtype, moving)

    def sem(self, stationary: Array, moving: Array) -> Array:
        if self.is_transpose and self.bit_accurate:
            return pick(stationary, moving)
        if self.perf_mode is DOUBLE_ROW:
            pairs = PAIR * len(stationary)
            return product(stationary.reshape(pairs, -1), moving.reshape(pairs, -1))
        return product(stationary, moving)

    def _dtype_problems(self, t: Target) -> Problems:
        """Dtypes of an ordinary product."""
        label = self.spec.label
        legal = PE_INPUTS if t.has("ocp_fp8") else PE_INPUTS - {float8_e4m3fn}
        sums = ACCUMULATORS if t.has("bf16_psum") else ACCUMULATORS - {bfloat16}
        for operand, view, allowed in (
            ("dst", self.dst, sums),
            ("stationary", self.stationary, legal),
            ("moving", self.moving, legal),
        ):
            if view.dtype not in allowed:
                yield problem(
                    NKI2106, operand=operand, got=view.dtype, inst=label, target=t.title,
                    allowed=names(allowed),
                )  # fmt: skip
        yield from self._width_problems()
        if {self.stationary.dtype, self.moving.dtype} == {float8_e4m3, float8_e4m3fn}:
            yield problem(
                NKI2203, first="stationary", first_dtype=self.stationary.dtype, second="moving",
                second_dtype=self.moving.dtype,
            )  # fmt: skip

    def _width_problems(self) -> Problems:
        """Both inputs have 4-byte elements, or neither has."""
        pair = [("stationary", self.stationary.dtype), ("moving", self.moving.dtype)]
        pair.sort(key=lambda one: one[1] not in WIDE)
        (wide, wide_dtype), (narrow, narrow_dtype) = pair
        if wide_dtype in WIDE and narrow_dtype not in WIDE:
            half = narrow_dtype if narrow_dtype.itemsize == 2 else bfloat16
            yield problem(
                NKI2201, wide=wide, wide_dtype=wide_dtype, narrow=narrow, narrow_dtype=narrow_dtype,
                half=half,
            )  # fmt: skip

    def _transpose_problems(self, t: Target) -> Problems:
        """Dtypes of a transpose: `dst` is like the data, on gen2 also float32."""
        label = self.spec.label
        data, dst = self.stationary.dtype, self.dst.dtype
        product_dtype = not t.has("bit_accurate_transpose") and dst == float32
        if dst != data and not product_dtype:
            yield problem(
                NKI2116, first="dst", first_dtype=dst, second="stationary", second_dtype=data,
                inst=f"{label} with is_transpose",
            )  # fmt: skip
        yield from self._width_problems()
        if self.perf_mode is DOUBLE_ROW:
            yield problem(NKI2123, operand="perf_mode", when="when is_transpose is set")

    def _double_row_problems(self) -> Problems:
        mode = "double_row"
        for operand, view in (("stationary", self.stationary), ("moving", self.moving)):
            if view.dtype not in FP8:
                yield problem(NKI2204, operand=operand, mode=mode, dtype=view.dtype)
            if view.shape[1] != PAIR:
                yield problem(NKI2205, operand=operand, mode=mode, got=view.shape[1])

    def _columns(self, view: View) -> int:
        """Free size of an input without the dimension that is contracted."""
        return prod(view.shape[2:]) if self.perf_mode is DOUBLE_ROW else view.free_size

    def _size_problems(self, t: Target) -> Problems:
        """M and N agree with `dst` and fit the array and PSUM."""
        label = self.spec.label
        widest = t.pe_moving_bf16_max if self.dst.dtype == bfloat16 else t.pe_moving_max
        for operand, dim, got, limit, want in (
            ("stationary", "M", self._columns(self.stationary), t.pe_cols, self.dst.shape[0]),
            ("moving", "N", self._columns(self.moving), widest, self.dst.free_size),
        ):
            if got > limit:
                yield problem(
                    NKI2104, operand=operand, dim=dim, got=got, limit=limit, inst=label,
                    target=t.title,
                )  # fmt: skip
            elif got != want:
                yield problem(
                    NKI2103, operand=operand, dim=dim, got=got, want=want, other="dst", inst=label
                )

    def _tile_problems(self, t: Target) -> Problems:
        rows, columns = tile_sizes(t)
        yield from tile_problems(self, t, rows, columns, self._columns(self.stationary))
        if (
            self.perf_mode is DOUBLE_ROW
            and len(self.tile_size) == 2
            and self.tile_size[1] in columns
            and self.tile_size[1] != t.pe_cols
        ):
            yield problem(NKI2206, mode="double_row", tile_size=self.tile_size)


def untiled_problems(inst: Inst, position: tuple[int, ...] | None) -> Problems:
    """A run-time index for every element excludes tiles of the array."""
    if any(position or ()):
        for operand, view in inst.views():
            if by_element(view):
                why = f" with tile_position {position}, only with (0, 0)"
                yield problem(NKI2133, operand=operand.name, inst=inst.spec.label, why=why)
                return


def tile_problems(
    inst: Any, t: Target, row_sizes: tuple[int, ...], column_sizes: tuple[int, ...], columns: int
) -> Problems:
    """`tile_position` and `tile_size` name a part of the array, and the operands fit it.

    Args: inst, a product with these two attributes and `stationary`; row_sizes and column_sizes,
        legal sizes of a part; columns of the array that `stationary` takes.
    """
    given = {"tile_position": inst.tile_position, "tile_size": inst.tile_size}
    if not any(given.values()):
        return
    for name, other in (("tile_position", "tile_size"), ("tile_size", "tile_position")):
        if not given[name]:
            yield problem(NKI2207, given=other, missing=name)
            return
    for name, pair in given.items():
        if len(pair) != 2:
            yield problem(
                NKI2124, name=name, got=pair, allowed="(row, column)", inst=inst.spec.label
            )
            return
    yield from _tile_size_problems(inst, t, row_sizes, column_sizes, columns)
    for axis, position, size, end in zip(
        ("row", "column"), inst.tile_position, inst.tile_size, (t.pe_rows, t.pe_cols),
        strict=True,
    ):  # fmt: skip
        if not _is_multiple(position, size, end):
            yield problem(NKI2208, axis=axis, position=position, size=size)


def _tile_size_problems(
    inst: Any, t: Target, row_sizes: tuple[int, ...], column_sizes: tuple[int, ...], columns: int
) -> Problems:
    """The size of the part is a legal one, and `stationary` is not larger."""
    high, wide = inst.tile_size
    if high not in row_sizes or wide not in column_sizes:
        allowed = ", ".join(map(str, row_sizes))
        if column_sizes != row_sizes:
            allowed += f" (columns: {', '.join(map(str, column_sizes))})"
        yield problem(NKI2209, got=tuple(inst.tile_size), allowed=allowed, target=t.title)
        return
    for dim, got, limit in (("K", inst.stationary.shape[0], high), ("M", columns, wide)):
        if got > limit:
            yield problem(NKI2210, operand="stationary", dim=dim, got=got, limit=limit)


def tile_sizes(t: Target) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Legal row and column counts of a part of the PE array, smallest first.

    Halves where the target has row tiling, quarters where it has quarter tiling; columns are
    divided in the same way, but only where the target has column tiling.
    Source: NKI ISA reference, nc_matmul, "Tiling mode".
    """
    halves = (2,) if t.has("row_tiling") else ()
    quarters = (4,) if t.has("quarter_tiling") else ()
    parts = (*quarters, *halves, 1)
    rows = tuple(t.pe_rows // n for n in parts)
    columns = tuple(t.pe_cols // n for n in (parts if t.has("column_tiling") else (1,)))
    return rows, columns


def _is_multiple(position: int | AffineExpr, size: int, end: int) -> bool:
    """Whether `position`, in every loop trip, is a multiple of `size` from 0 to below `end`."""
    if size < 1:
        return False
    if not isinstance(position, AffineExpr):
        return position % size == 0 and 0 <= position < end
    low, high = position.bounds()
    steps = (coeff * var.step for var, coeff in position.terms if var.trips > 1)
    return low % size == 0 and 0 <= low <= high < end and all(s % size == 0 for s in steps)


def spreading(bit_accurate: bool, data: Array) -> Problems:
    """The warning that a transpose formed as a product meets data that is not finite."""
    if not bit_accurate and not np.isfinite(data).all():
        yield problem(NKI2214, target=Target.title_of(SUNDA))


def _hint_problems(operand: str, dtype: DType, values: Array) -> Problems:
    """The warning that an operand of 4-byte floats is not what its hint says: ones and zeros."""
    other = (values != 0) & (values != 1)
    if dtype in WIDE and other.any():
        yield problem(
            NKI2219, operand=operand, count=int(other.sum()), value=float(values[other][0])
        )


def product(stationary: Array, moving: Array) -> Array:
    """``stationary.T @ moving`` of float32 matrices (K, M) and (K, N), rounded to float32 once.

    Model: the order of the device's sum is not known. Summing in float64 makes the result the same
    on every host and in every order of the partitions; the device is within 5e-7 of it (L2 norm).
    """
    with np.errstate(all="ignore"):
        exact: Array = stationary.T.astype(np.float64) @ moving.astype(np.float64)
        return np.asarray(exact, np.float32)


def pick(stationary: Array, moving: Array) -> Array:
    """Transpose (K, M) by moving bits: column n of the result is the row that `moving` selects.

    `moving` is (K, N) in any dtype; the row is the first k where ``moving[k, n] != 0``, and zeros
    if there is none. Returns: (M, N) in the dtype of `stationary`.
    """
    hit = moving.astype(np.float32) != 0
    picked: Array = stationary[hit.argmax(axis=0)].T.copy()
    picked[:, ~hit.any(axis=0)] = 0
    return picked
