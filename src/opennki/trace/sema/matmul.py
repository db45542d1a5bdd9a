"""Matrix products and transposes of tiles: `matmul`, `transpose`. Results are in PSUM."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI2103, NKI2104, NKI2107, NKI2212
from opennki.base.dtypes import float32
from opennki.ir import SBUF, Space
from opennki.isa.enums import Engine
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_bool
from opennki.trace.values import NkiTensor

from . import isa
from .creation import in_sbuf, result, scratch
from .marks import nki_function
from .operands import dtype_or, tile, wrong_type


@nki_function()
def matmul(x: Any, y: Any, transpose_x: bool = False) -> NkiTensor:
    """``x @ y``, or ``x.T @ y`` with `transpose_x`; a float32 tile in PSUM.

    Args: x, in SBUF, (M, K), or (K, M) with `transpose_x`; y, in SBUF, (K, N). The Tensor engine
        contracts over partitions, so without `transpose_x` x is transposed first.
    Raises: NKI2107 for tiles that are not two-dimensional, NKI2103 if the K differ; NKI2104 for M
        above 128 and N above 512, on every target; NKI2212 if K is above 128.
    """
    ctx = nki_ctx("nl.matmul")
    left, right = _matrix(ctx, "matmul", "x", x), _matrix(ctx, "matmul", "y", y)
    if plain_bool(transpose_x) is None:
        raise wrong_type(ctx, "matmul", "transpose_x", "True or False", transpose_x)
    contracted = left.shape[0 if transpose_x else 1]
    if right.shape[0] != contracted:
        facts = {"dim": "K", "got": right.shape[0], "want": contracted, "inst": "nl.matmul"}
        raise ctx.refusal(NKI2103, operand="y", other="x", **facts)
    rows = left.shape[1 if transpose_x else 0]
    sums = ctx.target.psum_bank_bytes // float32.itemsize
    _at_most(ctx, "x", "M", rows, ctx.target.pe_cols)
    _at_most(ctx, "y", "N", right.shape[1], sums)
    dst = result(ctx, "matmul", (rows, right.shape[1]), float32, Space.psum)
    stationary = left if transpose_x else _turned(ctx, left, dst.name)
    isa.nc_matmul(dst, stationary, right, accumulate=False)
    return dst


def _matrix(ctx: TraceContext, fn: str, name: str, value: Any) -> NkiTensor:
    """A two-dimensional tile in SBUF."""
    found = tile(ctx, fn, name, value, SBUF)
    _two_dimensional(ctx, fn, name, found)
    return found


def _two_dimensional(ctx: TraceContext, fn: str, name: str, view: NkiTensor) -> None:
    if len(view.shape) != 2:
        facts = {"got": list(view.shape), "inst": f"nl.{fn}", "want": "two dimensions"}
        raise ctx.refusal(NKI2107, operand=name, smaller=name, **facts)


def _at_most(ctx: TraceContext, name: str, dim: str, got: int, limit: int) -> None:
    if got > limit:
        facts = {"got": got, "limit": limit, "inst": "nl.matmul", "target": ctx.target.title}
        raise ctx.refusal(NKI2104, operand=name, dim=dim, **facts)


def _fits_the_array(ctx: TraceContext, name: str, view: NkiTensor) -> None:
    rows, columns, limit = *view.shape, ctx.target.pe_rows
    if columns > limit:
        facts = {"rows": rows, "cols": columns, "engine": Engine.PE.nki, "limit": limit}
        raise ctx.refusal(NKI2212, operand=name, **facts)


def _turned(ctx: TraceContext, x: NkiTensor, stem: str) -> NkiTensor:
    """The transpose of `x` in SBUF; small ones by the vector engine without a detour over PSUM."""
    _fits_the_array(ctx, "x", x)
    shape = (x.shape[1], x.shape[0])
    turned = scratch(ctx, f"{stem}_x", shape, x.dtype)
    if max(shape) <= ctx.target.transpose_block:
        isa.nc_transpose(turned, x)
        return turned
    in_psum = scratch(ctx, f"{stem}_x_psum", shape, x.dtype, Space.psum)
    isa.nc_transpose(in_psum, x)
    isa.tensor_copy(turned, in_psum)
    return turned


@nki_function()
def transpose(x: Any, dtype: Any = None) -> NkiTensor:
    """The transpose of a (P, F) tile of up to 128 x 128, as a tile in PSUM.

    Args: x, two-dimensional, in SBUF or PSUM; dtype of the result, by default that of x.
    Raises: NKI2107 if x is not two-dimensional, NKI2212 if it is too large.
    """
    ctx = nki_ctx("nl.transpose")
    data = tile(ctx, "transpose", "x", x)
    _two_dimensional(ctx, "transpose", "x", data)
    _fits_the_array(ctx, "x", data)
    shape, kind = (data.shape[1], data.shape[0]), dtype_or(ctx, dtype, data.dtype)
    dst = result(ctx, "transpose", shape, kind, Space.psum)
    if max(shape) > ctx.target.transpose_block:
        data = in_sbuf(ctx, data, f"{dst.name}_x")
    if kind == data.dtype:
        isa.nc_transpose(dst, data)
    else:
        turned = scratch(ctx, f"{dst.name}_turned", shape, data.dtype, Space.psum)
        isa.nc_transpose(turned, data)
        isa.tensor_copy(dst, turned)
    return dst
