"""Moving tiles between HBM and SBUF: `load`, `store`, `load_transpose2d`, `atomic_rmw`; `copy`."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI2107
from opennki.ir import HBM, ON_CHIP, Space, fixed_size
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema import isa, math
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or, number

from .calls import Masked, made, operand, written
from .indirect import by_rows, has_vector
from .tiles import ClassicTensor


@nki_function()
def load(src: Any, *, mask: Any = None, dtype: Any = None) -> ClassicTensor:
    """A new tile in SBUF with the elements of `src`, in HBM, that `mask` leaves.

    One dimension of HBM becomes the partitions of a tile with one column.
    Raises: NKI2105 if `src` is on chip; NKI3040 for what is outside of its tensor and not masked.
    """
    ctx = nki_ctx("nl.load")
    source = two_dimensional(operand(ctx, "load", "src", src, HBM))
    dst = made(ctx, "load", source.shape, dtype_or(ctx, dtype, source.dtype))
    masked = Masked(source.shape, mask, apart=True)
    masked.makes(dst)
    if masked.scattered:
        isa.memset(dst, 0)  # what the mask leaves out may be read where nothing depends on it
    for box in masked.boxes:
        _transfer(ctx, masked.cut(dst, box), masked.cut(source, box))
    return dst


def _transfer(ctx: TraceContext, target: ClassicTensor, source: ClassicTensor) -> None:
    """One transfer, or one per row where the target cannot take a vector of indices.

    Model: the first generation had them on all targets, and made them of descriptors for rows.
    """
    if has_vector(target, source) and not ctx.target.has("gather"):
        for one, other in by_rows(target, source):
            isa.dma_copy(one, other)
    else:
        isa.dma_copy(target, source)


def two_dimensional(view: ClassicTensor) -> ClassicTensor:
    """A view of one dimension as one with a column; any other as it is."""
    if len(view.shape) > 1:
        return view
    return view.spread((*view.shape, 1), (*view.strides, 1))


@nki_function()
def store(dst: Any, value: Any, *, mask: Any = None) -> None:
    """Write the elements of the tile `value` that `mask` leaves to `dst`, in HBM.

    Raises: NKI2105 for tensors in other memories, NKI2107 for another shape; NKI3040 as `load`.
    """
    ctx = nki_ctx("nl.store")
    target, source = _pair(ctx, "store", dst, value)
    masked = Masked(target.shape, mask, apart=True)
    if masked.nothing:
        return
    if source.tensor.space is Space.psum:
        copied = made(ctx, "store", source.shape, source.dtype)
        isa.tensor_copy(masked.of(copied), masked.of(source))
        source = copied
    for box in masked.boxes:
        _transfer(ctx, masked.cut(target, box), masked.cut(source, box))


@nki_function()
def atomic_rmw(dst: Any, value: Any, op: Any, *, mask: Any = None) -> None:
    """Combine the tile `value` into `dst`, in HBM, in one transfer: ``dst = op(dst, value)``.

    Args: op, addition. Raises: NKI2107 as `store`; as `nisa.dma_compute`.
    """
    ctx = nki_ctx("nl.atomic_rmw")
    target, source = _pair(ctx, "atomic_rmw", dst, value)
    masked = Masked(target.shape, mask)
    if not masked.nothing:
        whole = masked.of(target)
        read = _in_sbuf(ctx, masked.of(source))
        isa.CALLS["dma_compute"](dst=whole, srcs=[read, whole], reduce_op=op)


def _pair(
    ctx: TraceContext, fn: str, dst: Any, value: Any
) -> tuple[ClassicTensor, ClassicTensor]:  # fmt: skip
    """Target in HBM and source on chip, of one shape; a number becomes a tile of it."""
    target = operand(ctx, fn, "dst", dst, HBM)
    fill = number(value)
    if fill is not None:
        target = two_dimensional(target)
        source = made(ctx, fn, target.shape, target.dtype)
        isa.memset(source, fill)
        return target, source
    source = operand(ctx, fn, "value", value, ON_CHIP)
    if _squeezed(source) != _squeezed(target):
        facts = fixed_size("value", source.shape, target.shape)
        raise ctx.refusal(NKI2107, inst=f"nl.{fn}", **facts)
    if len(target.shape) > 1 and target.shape[0] == source.shape[0]:
        return target, source.reshaped(target.shape)
    return target.reshaped(source.shape), source


def _squeezed(view: ClassicTensor) -> tuple[int, ...]:
    return tuple(n for n in view.shape if n != 1)


def _in_sbuf(ctx: TraceContext, source: ClassicTensor) -> ClassicTensor:
    """`source`, or a copy of it if it is in PSUM, where transfers do not read."""
    if source.tensor.space is not Space.psum:
        return source
    copied = made(ctx, "store", source.shape, source.dtype)
    isa.tensor_copy(copied, source)
    return copied


@nki_function()
def load_transpose2d(src: Any, *, mask: Any = None, dtype: Any = None) -> ClassicTensor:
    """A new tile in SBUF, (columns, rows), with the transpose of `src`, (rows, columns) in HBM.

    Args: mask, over the shape of `src`.
    Raises: NKI2107 if `src` is not two-dimensional; as `load`.
    """
    ctx = nki_ctx("nl.load_transpose2d")
    source = operand(ctx, "load_transpose2d", "src", src, HBM)
    if len(source.shape) != 2:
        facts = {"got": list(source.shape), "want": "(rows, columns)", "smaller": "src"}
        raise ctx.refusal(NKI2107, operand="src", inst="nl.load_transpose2d", **facts)
    dst = made(ctx, "load_transpose2d", source.shape[::-1], dtype_or(ctx, dtype, source.dtype))
    masked = Masked(source.shape, mask)
    if not masked.nothing:
        read = masked.of(source)
        isa.dma_copy(
            masked.along(dst, {0: 1, 1: 0}), read.spread(read.shape[::-1], read.strides[::-1])
        )
    return dst


@nki_function()
def copy(src: Any, *, mask: Any = None, dtype: Any = None) -> ClassicTensor:
    """A copy of the tile `src` in SBUF, of dtype `dtype` if given."""
    ctx = nki_ctx("nl.copy")
    data = operand(ctx, "copy", "src", src)
    kind = dtype_or(ctx, dtype, data.dtype)
    return written(math.copy, data.shape, kind, mask, data, dtype=kind)


@nki_function()
def static_cast(x: Any, dtype: Any) -> ClassicTensor:
    """A copy of the tile `x` of another dtype."""
    return copy(x, dtype=dtype)
