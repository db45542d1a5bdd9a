"""Moving tensors between HBM and SBUF: `load`, `store`, `load_transpose2d`."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI1060, NKI2107
from opennki.base.diag import problem
from opennki.ir import HBM, SBUF, fixed_size
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from . import isa
from .creation import result
from .marks import nki_function
from .operands import dtype_or, tile


@nki_function()
def load(src: Any, dtype: Any = None) -> NkiTensor:
    """A new tile in SBUF with the contents of `src`.

    Args: src, in HBM, at least two dimensions, the first of at most 128; dtype to convert to.
    Raises: NKI2105 if `src` is on chip; NKI3001 to NKI3003 if no tile has its shape.
    """
    ctx = nki_ctx("nl.load")
    source = tile(ctx, "load", "src", src, HBM)
    dst = result(ctx, "load", source.shape, dtype_or(ctx, dtype, source.dtype))
    isa.dma_copy(dst, source)
    return dst


@nki_function()
def store(dst: Any, value: Any) -> None:
    """Write the tile `value` to `dst`, converting to its dtype.

    Args: dst, in HBM; value, in SBUF, of the same shape up to dimensions of size 1.
    Raises: NKI2105 for a tensor in another memory, NKI2107 for another shape.
    """
    ctx = nki_ctx("nl.store")
    target = tile(ctx, "store", "dst", dst, HBM)
    source = tile(ctx, "store", "value", value, SBUF)
    if _squeezed(source) != _squeezed(target):
        facts = fixed_size("value", source.shape, target.shape)
        raise ctx.refusal(NKI2107, inst="nl.store", **facts)
    isa.dma_copy(target, source)


def _squeezed(view: NkiTensor) -> tuple[int, ...]:
    return tuple(n for n in view.shape if n != 1)


@nki_function()
def load_transpose2d(src: Any, dtype: Any = None) -> NkiTensor:
    """A new tile in SBUF, (columns, rows), with the transpose of `src`, (rows, columns) in HBM.

    One DMA that reads `src` column by column, exact for every dtype.
    Raises: NKI2105 if `src` is on chip, NKI2107 if it is not two-dimensional, NKI3002 if it has
        more than 128 columns.
    """
    ctx = nki_ctx("nl.load_transpose2d")
    source = tile(ctx, "load_transpose2d", "src", src, HBM)
    if len(source.shape) != 2:
        facts = {
            "got": list(source.shape),
            "inst": "nl.load_transpose2d",
            "want": "(rows, columns)",
            "smaller": "src",
        }
        raise ctx.refusal(NKI2107, operand="src", **facts)
    rows, columns = source.shape
    dst = result(ctx, "load_transpose2d", (columns, rows), dtype_or(ctx, dtype, source.dtype))
    isa.dma_copy(dst, source.permute((1, 0)))
    return dst


def _store_item(dst: NkiTensor, value: NkiTensor) -> None:
    """``dst[...] = value``: a DMA where HBM is involved, else a copy on chip, with a warning."""
    ctx = nki_ctx("item assignment")
    dma = dst.tensor.space.is_hbm or value.tensor.space.is_hbm
    name = "nisa.dma_copy" if dma else "nisa.tensor_copy"
    ctx.report(problem(NKI1060, name=dst.tensor.name, instruction=name), ctx.loc())
    if dma:
        isa.dma_copy(dst, value)
    else:
        isa.tensor_copy(dst, value)


NkiTensor.store_item = staticmethod(_store_item)
