"""Matrix products and transposes of tiles: `matmul`, `transpose`. Results are in PSUM."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI2107
from opennki.base.dtypes import float32
from opennki.ir import Space
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema import matmul as present
from opennki.trace.sema.creation import in_sbuf
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or

from .calls import Masked, made, operand
from .tiles import ClassicTensor


@nki_function()
def matmul(x: Any, y: Any, *, transpose_x: bool = False, mask: Any = None) -> ClassicTensor:
    """A new tile in PSUM: ``x @ y``, or ``x.T @ y`` with `transpose_x`.

    ``acc += matmul(...)`` adds it to `acc` in PSUM instead. Operands in PSUM are copied first.
    Args: mask, over the result's shape.
    Raises: as `nki.language.matmul`.
    """
    ctx = nki_ctx("nl.matmul")
    left, right = operand(ctx, "matmul", "x", x), operand(ctx, "matmul", "y", y)
    for name, view in (("x", left), ("y", right)):
        if len(view.shape) != 2:
            facts = {"got": list(view.shape), "inst": "nl.matmul", "want": "two dimensions"}
            raise ctx.refusal(NKI2107, operand=name, smaller=name, **facts)
    shape = (left.shape[int(bool(transpose_x))], right.shape[1])
    dst = made(ctx, "matmul", shape, float32, Space.psum)
    masked = Masked(shape, mask)
    if masked.nothing:
        return dst
    rows = in_sbuf(ctx, masked.along(left, {int(bool(transpose_x)): 0}), "matmul_x")
    columns = in_sbuf(ctx, masked.along(right, {1: 1}), "matmul_y")
    ctx.destination = masked.of(dst)
    try:
        present.matmul(rows, columns, transpose_x)
    finally:
        ctx.destination = None
    product: Any = ctx.builder.scope[-1]
    ctx.symbolic.products[dst.tensor] = product
    return dst


@nki_function()
def transpose(x: Any, *, dtype: Any = None, mask: Any = None) -> ClassicTensor:
    """A new tile in PSUM: the transpose of the (P, F) tile x. Args: mask, over the shape of x.

    Raises: as `nki.language.transpose`.
    """
    ctx = nki_ctx("nl.transpose")
    data = operand(ctx, "transpose", "x", x)
    if len(data.shape) != 2:
        facts = {"got": list(data.shape), "inst": "nl.transpose", "want": "two dimensions"}
        raise ctx.refusal(NKI2107, operand="x", smaller="x", **facts)
    kind = dtype_or(ctx, dtype, data.dtype)
    dst = made(ctx, "transpose", data.shape[::-1], kind, Space.psum)
    masked = Masked(data.shape, mask)
    if masked.nothing:
        return dst
    ctx.destination = masked.along(dst, {0: 1, 1: 0})
    try:
        present.transpose(masked.of(data), kind)
    finally:
        ctx.destination = None
    return dst
