"""Random functions of `nki.language`: numbers, the seed they follow from, and dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from opennki.base.codes import NKI2106, NKI2107, NKI2124
from opennki.base.dtypes import FLOATS, DType, float8_e8m0fnu, float32, names, uint32
from opennki.base.numerics import from_f32, to_f32
from opennki.ir import ON_CHIP, Space, fixed_size
from opennki.isa.enums import AluOp
from opennki.isa.generator import FRACTION, ONE
from opennki.isa.rng import UNIFORM, Rand2Op
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from . import isa
from .creation import FILL_COLUMNS, ndarray, result, scratch
from .marks import nki_function
from .operands import dtype_or, number, tensor, tile, wrong_type

KINDS = FLOATS - {float8_e8m0fnu}
"""Dtypes that have numbers from 0 to 1."""


@nki_function()
def rand(shape: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = "") -> NkiTensor:
    """A new tensor of numbers drawn evenly from 0 up to, not including, 1.

    The vector engine's generator makes them, so that `random_seed` before it decides which they
    are. There are 2^23 different ones, rounded to `dtype`. HBM is filled by DMA.

    Args: shape, dtype (floating point), buffer, name: as of `ndarray`.
    Raises: as `ndarray`; NKI2106 for a dtype that has no numbers between 0 and 1.
    """
    ctx = nki_ctx("nl.rand")
    made = ndarray(shape, dtype, buffer, name)
    if made.dtype not in KINDS:
        raise ctx.refusal(
            NKI2106, operand="dtype", got=made.dtype, inst="nl.rand", allowed=names(KINDS),
            target=ctx.target.title,
        )  # fmt: skip
    if made.tensor.space.on_chip:
        _fill(ctx, made)
    else:
        _fill_hbm(ctx, made)
    return made


def _fill(ctx: TraceContext, made: NkiTensor) -> None:
    """Fill a tile, in one instruction where there is one for its dtype.

    Otherwise 23 random bits become the fraction of a float32 from 1 to 2, of which 1 is taken. So
    that rounding to a narrow dtype never makes a 1, numbers are scaled to its largest below 1.
    """
    most = _below_one(made.dtype)
    if ctx.target.order >= Rand2Op.spec.since and made.dtype in UNIFORM:
        isa.rand2(made, 0.0, most)
        return
    in_place = made.dtype == float32
    bits = made.view(uint32) if in_place else scratch(ctx, f"{made.name}_bits", made.shape, uint32)
    isa.rng(bits)
    isa.tensor_scalar(
        bits, bits, AluOp.bitwise_and, FRACTION, op1=AluOp.bitwise_or, operand1=ONE
    )  # fmt: skip
    isa.tensor_scalar(
        made, bits.view(float32), AluOp.subtract, 1.0, op1=AluOp.mult, operand1=most
    )  # fmt: skip


def _below_one(dtype: DType) -> float:
    """What to scale numbers below 1 by, so that they stay below 1 when rounded to `dtype`.

    float32 has all of them; of other dtypes, it is their largest number below 1.
    """
    if dtype == float32:
        return 1.0
    fraction = 0.5
    while to_f32(from_f32(np.array([1 - fraction / 2], np.float32), dtype), dtype)[0] < 1:
        fraction /= 2
    return 1 - fraction


def _fill_hbm(ctx: TraceContext, made: NkiTensor) -> None:
    """Fill `made` from one tile, piece after piece, with new numbers in each."""
    rows = min(ctx.target.partitions, made.size)
    columns = min(FILL_COLUMNS, made.size // rows)
    source = scratch(ctx, f"{made.name}_fill", (rows, columns), made.dtype)
    flat = made.reshape(made.size)
    start = 0
    while start < made.size:
        count = min(columns, made.size - start)
        piece = source[0 : min(rows, (made.size - start) // count), 0:count]
        _fill(ctx, piece)
        isa.dma_copy(flat[start : start + piece.size], piece)
        start += piece.size


@nki_function()
def random_seed(seed: Any) -> None:
    """Seed the generator that `rand` and `dropout` draw from: the same seed, the same numbers.

    Args: seed, a (1, 1) tile of 32 bits.
    Raises: NKI1007 if it is no tile; NKI2105, NKI2106, NKI2107 as `nisa.set_rng_seed`.
    """
    ctx = nki_ctx("nl.random_seed")
    given = tensor(ctx, "random_seed", "seed", seed)
    if given.shape != (1, 1):
        facts = fixed_size("seed", given.shape, (1, 1))
        raise ctx.refusal(NKI2107, inst="nl.random_seed", **facts)
    isa.set_rng_seed(given)


@nki_function()
def dropout(x: Any, rate: Any, dtype: Any = None) -> NkiTensor:
    """x with zeros in the place of random elements; what is kept is not scaled.

    Args: x, a tile; rate, the probability that an element is dropped: a number or a (P, 1) tile;
        dtype of the result, by default that of x.
    Raises: NKI1007 if x is no tile, NKI2105 if it is in HBM; NKI1007, NKI2107, NKI2124 for a rate
        that is none; otherwise as `nisa.dropout`.
    """
    ctx = nki_ctx("nl.dropout")
    data = tile(ctx, "dropout", "x", x, ON_CHIP)
    _check_rate(ctx, data, rate)
    kind = dtype_or(ctx, dtype, data.dtype)
    dst = result(ctx, "dropout", data.shape, kind)
    if kind == data.dtype:
        isa.dropout(dst, data, rate)
        return dst
    kept = scratch(ctx, f"{dst.name}_x", data.shape, data.dtype)
    isa.dropout(kept, data, rate)
    isa.tensor_copy(dst, kept)
    return dst


def _check_rate(ctx: TraceContext, x: NkiTensor, rate: Any) -> None:
    """A probability, or a tile with one for every partition of `x`."""
    if isinstance(rate, NkiTensor):
        if rate.shape != (x.shape[0], 1):
            facts = fixed_size("rate", rate.shape, (x.shape[0], 1))
            raise ctx.refusal(NKI2107, inst="nl.dropout", **facts)
        return
    found = number(rate)
    if found is None:
        raise wrong_type(ctx, "dropout", "rate", "a number or a (P, 1) tile", rate)
    if not 0 <= found <= 1:
        allowed = "numbers from 0 to 1"
        raise ctx.refusal(NKI2124, name="rate", got=found, allowed=allowed, inst="nl.dropout")
