"""Microscaled (MX) products: quantizing to packed float8, and products of packed operands.

An MX tile is two tensors. The data (P, F) are packed elements of four values each, which belong
together along the contraction. The scales have one byte for every 8 partitions of one packed
element, that is for 32 values: exponent + 127, and 255 for NaN (float8_e8m0fnu). They lie in the
quadrant of 32 partitions from which their data come: scale row i, of P / 8, is partition
``32 * (i // 4) + i % 4`` of its view. The view may begin 0, 4, 8 or 12 partitions into the quadrant
in which the data begin, so that scales of four tiles fit one tile.

Source: NKI ISA reference, quantize_mx and nc_matmul_mx; NKI guide "MXFP Matrix Multiplication",
"Scale Tensor" and "Packing Scale Values"; OCP Microscaling formats, version 1.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from opennki.base.codes import NKI2104, NKI2107, NKI2112, NKI2133, NKI2216, NKI2217, NKI2218
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import (
    PACKED,
    DType,
    bfloat16,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float8_e8m0fnu,
    float16,
    uint8,
)
from opennki.base.packed import pack, unpack
from opennki.ir import PSUM, SBUF, Inst, Masked, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.ir.shapes import fixed_size
from opennki.target import COREV4, Target

from .enums import Engine
from .matmul import ACCUMULATORS, product, tile_problems, tile_sizes, untiled_problems
from .opcheck import by_element, same_index

LANES: Final = 4
"""Values of one packed element."""

DEEP: Final = 8
"""Partitions that share a scale."""

QUADRANT: Final = 32
"""Partitions of a quadrant."""

ROWS: Final = QUADRANT // DEEP
"""Scale rows of a quadrant."""

OFFSETS: Final = (0, 4, 8, 12)
"""Where in its quadrant a view of scales may begin."""

SCALES: Final = frozenset({float8_e8m0fnu, uint8})

E_MAX: Final = {float8_e4m3fn_x4: 8, float8_e5m2_x4: 15}
"""Largest unbiased exponent of the values of a packed dtype that quantize_mx writes."""

BIAS: Final = 127
NAN_SCALE: Final = 255


def scale_rows(partitions: int) -> list[int]:
    """Partitions, within their view, of the scales of so many partitions of data."""
    return [QUADRANT * (i // ROWS) + i % ROWS for i in range(partitions // DEEP)]


@instruction(
    "quantize_mx", emit="quantize_mx", bir="QuantizeMx", klr="QuantizeMX", engines=(Engine.DVE,),
    since=COREV4,
)  # fmt: skip
class QuantizeMXOp(Inst):
    """Quantize (P, 4 F) float16 or bfloat16 to (P, F) packed float8 and their scales.

    Every group V of 8 partitions by 4 elements gets the scale
    ``X = 2 ** (floor(log2(max |V|)) - (E_max - 1))``, where E_max is 8 for float8_e4m3fn and 15 for
    float8_e5m2, and becomes ``V / X``, rounded to nearest even. A group of zeros has
    ``X = 2 ** -127``, which is also the smallest scale. Partitions of `dst_scale` between those
    that hold scales stay as they are.

    Source: NKI ISA reference, quantize_mx; BIR data model, QuantizeMx. Model: the reference does
    not say what NaN and infinity do. Their exponent counts as 128, one more than the largest of a
    finite number; infinity saturates, NaN stays NaN, and what is finite in their group is small.
    """

    dst: View = out(SBUF, "P F", frozenset(E_MAX))
    src: View = inp(SBUF, "P *", frozenset({float16, bfloat16}))
    dst_scale: View = out(SBUF, "* F", SCALES)

    def check(self, t: Target) -> Problems:
        yield from multiple_problems(self, "src", "partitions", self.src.partitions, QUADRANT)
        yield from multiple_problems(
            self, "src", "elements per partition", self.src.free_size, LANES
        )
        if self.src.free_size % LANES == 0 and self.dst.free_size * LANES != self.src.free_size:
            want = (self.src.partitions, self.src.free_size // LANES)
            facts = fixed_size("dst", self.dst.shape, want)
            yield problem(NKI2107, inst=self.spec.label, **facts)
        yield from self._walk_problems()
        yield from scale_problems(self, t, "dst_scale", "src")

    def _walk_problems(self) -> Problems:
        """Four values that become one element lie side by side, from an even position on."""
        if self.src.free_size % LANES:
            return  # reported; no way to walk these makes whole elements
        walked = [(step, count) for step, count in self.src.dims[1:] if count > 1]
        if not walked:
            return  # a single element, which `multiple_problems` refuses
        (step, count), outer = walked[-1], walked[:-1]
        if step != 1:
            why = f"the last dimension steps by {step}"
        elif count % LANES:
            why = f"the last dimension has {count} elements"
        elif odd := [s for s, _ in outer if s % 2]:
            why = f"a dimension before the last steps by {odd[0]}"
        else:
            return
        yield problem(NKI2218, operand="src", why=why, inst=self.spec.label)

    def starts_freely(self, operand: str) -> bool:
        """Scales, of which each quadrant has a few partitions."""
        return operand == "dst_scale"

    def read_mode(self) -> Read:
        """As stored: the results are, too."""
        return Read.RAW

    def sem(self, src: Array) -> tuple[Array, Masked]:
        partitions, elements = src.shape[0], src.shape[1] // LANES
        values = src.astype(np.float32).reshape(-1, DEEP, elements, LANES)
        exponents = _scale_exponents(values, self.dst.dtype)
        scaled = np.ldexp(values, -exponents[:, None, :, None])
        data = pack(scaled.reshape(partitions, elements, LANES), self.dst.dtype)
        rows = scale_rows(partitions)
        scales = np.zeros((self.dst_scale.partitions, elements), np.uint8)
        scales[rows] = exponents + BIAS
        mask = np.zeros(scales.shape, np.bool_)
        mask[rows] = True
        return data, Masked(scales.view(self.dst_scale.dtype.np), mask)


def _scale_exponents(values: Array, dtype: DType) -> Array:
    """log2 of the scale of each group; `values` are (groups, 8, elements, 4) float32."""
    largest = np.abs(values).max(axis=(1, 3))  # NaN if there is one
    finite = np.where(np.isfinite(largest), largest, np.float32(1))
    exponents = np.frexp(finite)[1] - 1
    exponents = np.where(np.isfinite(largest), exponents, BIAS + 1)
    exponents = np.where(largest == 0, -BIAS, exponents - (E_MAX[dtype] - 1))
    return np.asarray(np.maximum(exponents, -BIAS))


@instruction(
    "nc_matmul_mx", emit="matmult_mx", bir="MatmultMx", klr="NcMatMulMX", engines=(Engine.PE,),
    since=COREV4,
)  # fmt: skip
class MatMulMXOp(Inst):
    """Product of MX tiles: ``dst[M, N] (+)= sum over k, j of s[k, M, j] * m[k, N, j]``.

    k counts partitions and j the four values of a packed element. s and m are the values of
    `stationary` and `moving`, each multiplied with the scale of its group, ``2 ** (byte - 127)``.
    The two may have different packed dtypes. `accumulate` is as in nc_matmul. `tile_position` and
    `tile_size` confine the product to some rows of the array; they change no values.

    Source: NKI ISA reference, nc_matmul_mx. Model: values and products are exact, and rounded once
    after the sum, as in nc_matmul; the byte 255 means NaN in uint8 scales, too.
    """

    indirect = ("dst", "stationary", "moving", "stationary_scale", "moving_scale")

    dst: View = out(PSUM, "M N", ACCUMULATORS, accumulate="accumulate")
    stationary: View = inp(SBUF, "K M", PACKED, K="pe_rows", M="pe_cols")
    moving: View = inp(SBUF, "K N", PACKED, K="pe_rows")
    stationary_scale: View = inp(SBUF, "* M", SCALES)
    moving_scale: View = inp(SBUF, "* N", SCALES)
    tile_position: tuple[int, ...] | None = attr(tuple, None, optional=True)
    tile_size: tuple[int, ...] | None = attr(tuple, None, optional=True)
    accumulate: bool | None = attr(bool, None, optional=True, bir="")

    def prepare(self, t: Target) -> None:
        """Positions and sizes become tuples, empty ones None."""
        self.tile_position = tuple(self.tile_position or ()) or None
        self.tile_size = tuple(self.tile_size or ()) or None

    def check(self, t: Target) -> Problems:
        rows, columns = self.stationary.partitions, self.stationary.free_size
        yield from multiple_problems(self, "stationary", "partitions", rows, QUADRANT)
        yield from multiple_problems(self, "stationary", "elements per partition", columns, 2)
        widest = t.pe_moving_bf16_max if self.dst.dtype == bfloat16 else t.pe_moving_max
        if self.moving.free_size > widest:
            yield problem(
                NKI2104, operand="moving", dim="N", got=self.moving.free_size, limit=widest,
                inst=self.spec.label, target=t.title,
            )  # fmt: skip
        yield from scale_problems(self, t, "stationary_scale", "stationary")
        yield from scale_problems(self, t, "moving_scale", "moving")
        row_sizes, _ = tile_sizes(t)
        yield from tile_problems(self, t, row_sizes, (t.pe_cols,), columns)
        yield from untiled_problems(self, self.tile_position)
        for name in ("stationary", "moving"):
            if by_element(getattr(self, name)) != by_element(getattr(self, f"{name}_scale")):
                with_index = name if by_element(getattr(self, name)) else f"{name}_scale"
                why = f": `{name}` and `{name}_scale` have one together"
                yield problem(NKI2133, operand=with_index, inst=self.spec.label, why=why)
            elif not self._share(name):
                why = f" other than that of `{name}`"
                yield problem(NKI2133, operand=f"{name}_scale", inst=self.spec.label, why=why)

    def _share(self, name: str) -> bool:
        """Whether data and their scales have the same index for every element, or none has one."""
        data, scale = getattr(self, name), getattr(self, f"{name}_scale")
        return not by_element(data) or same_index(data, scale)

    def starts_freely(self, operand: str) -> bool:
        """Scales, of which each quadrant has a few partitions."""
        return operand.endswith("_scale")

    def read_mode(self) -> Read:
        """As stored."""
        return Read.RAW

    def partitions_read(self, operand: str) -> Sequence[int] | None:
        """Of scales, those that belong to data."""
        return scale_rows(self.moving.partitions) if operand.endswith("_scale") else None

    def sem(
        self, stationary: Array, moving: Array, stationary_scale: Array, moving_scale: Array
    ) -> Array:
        left = dequantized(stationary, self.stationary.dtype, stationary_scale)
        right = dequantized(moving, self.moving.dtype, moving_scale)
        return product(left, right)


def dequantized(data: Array, dtype: DType, scales: Array) -> Array:
    """The values of an MX tile.

    Args: data, (P, F) as stored; dtype of data; scales, the view of the scales as stored.
    Returns: float64 of shape (4 P, F), the four values of an element below each other.
    """
    partitions, elements = data.shape
    bytes_ = np.ascontiguousarray(scales[scale_rows(partitions)]).view(np.uint8)
    factors = np.ldexp(1.0, bytes_.astype(np.int32) - BIAS)
    factors[bytes_ == NAN_SCALE] = np.nan
    values = unpack(data, dtype).transpose(0, 2, 1).reshape(-1, DEEP * LANES, elements)
    scaled: Array = (values * factors[:, None, :]).reshape(-1, elements)
    return scaled


def multiple_problems(inst: Inst, operand: str, what: str, got: int, group: int) -> Problems:
    """A size is a multiple of `group`."""
    if got % group:
        yield problem(
            NKI2217, operand=operand, what=what, got=got, group=group, inst=inst.spec.label
        )


def scale_problems(inst: Inst, t: Target, operand: str, data: str) -> Problems:
    """Scales begin in the quadrant of their data, and reach as far as they do.

    Source: NKI guide "MXFP Matrix Multiplication"; BIR data model, QuantizeMx. Model: a view of
    scales may end after the last scale. What is read may go on: public kernels multiply half a
    tile with the scales of a whole one. What is written has no more partitions than the data.
    """
    scales, of = getattr(inst, operand), getattr(inst, data)
    if of.partitions % QUADRANT:
        return  # reported; nothing can be said about its scales
    first = of.start_partition + of.tensor.start_partition
    start = scales.start_partition + scales.tensor.start_partition
    if start - first not in OFFSETS:
        *legal, last = (str(first + offset) for offset in OFFSETS)
        yield problem(
            NKI2112, operand=operand, start=start, count=scales.partitions,
            allowed=f"{', '.join(legal)} or {last}",
        )  # fmt: skip
    least = scale_rows(of.partitions)[-1] + 1
    written = any(scales is view for view in inst.writes())
    most = of.partitions if written else t.partitions
    if not least <= scales.partitions <= most:
        yield problem(
            NKI2216, operand=operand, got=scales.partitions, want=least, most=most,
            data=data, have=of.partitions, inst=inst.spec.label,
        )  # fmt: skip
