"""Writing tiles and numbers to the places that item assignment names, wherever they are.

Engines start at some partitions only; to and from others tiles go by transfers.
"""

from __future__ import annotations

from typing import Any

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI2101, NKI2127
from opennki.ir import Space, start_allowed
from opennki.trace.context import TraceContext
from opennki.trace.sema import isa
from opennki.trace.sema.creation import in_sbuf

from .calls import made
from .pieces import pieces
from .shapes import padded, spread_to
from .tiles import ClassicTensor, Shape

_MOST = 1024
"""Places of a window in a loop that are looked at; of more, one may be anywhere."""


def fill(ctx: TraceContext, target: ClassicTensor, value: Any) -> None:
    """Every element of `target` becomes the number `value`."""
    if not _by_transfer(target):
        for (part,) in pieces(ctx, [target]):
            isa.memset(part, value)
        return
    filled = made(ctx, "fill", target.shape, target.dtype)
    isa.memset(filled, value)
    isa.dma_copy(target, filled)


def move(ctx: TraceContext, target: ClassicTensor, source: ClassicTensor) -> None:
    """Copy `source`, on chip, to `target` of the same shape."""
    if _by_transfer(target) or _by_transfer(source):
        isa.dma_copy(target, in_sbuf(ctx, source, "value"))
    else:
        for part, read in pieces(ctx, [target, source]):
            isa.tensor_copy(part, read)


def _by_transfer(view: ClassicTensor) -> bool:
    """Whether engines do not reach `view`: it is in HBM, or starts where none of them starts."""
    if view.tensor.space is not Space.sbuf:
        return view.tensor.space.is_hbm
    starts = _starts(view.offset, max(1, view.row))
    if starts is None:
        return True
    first = view.tensor.start_partition
    return not all(start_allowed(first + start, view.shape[0]) for start in starts)


def _starts(offset: int | AffineExpr, row: int) -> set[int] | None:
    """Partitions that a view may start in; None for too many of them.

    Loop indices move it by whole partitions of `row` elements, or inside of one.
    """
    if isinstance(offset, int):
        return {offset // row}
    moves = {var: coeff // row for var, coeff in offset.terms if coeff % row == 0}
    first = offset.const // row
    return AffineExpr(moves, first).distinct(_MOST) if moves else {first}


def as_shape(ctx: TraceContext, value: ClassicTensor, shape: Shape) -> ClassicTensor:
    """The tile that is assigned as one of `shape`. Raises: NKI2101, NKI2127 if it does not fit."""
    squeezed = [[n for n in one if n != 1] for one in (value.shape, shape)]
    if squeezed[0] == squeezed[1] and value.shape[0] == shape[0]:
        return value.reshaped(shape)
    fits = len(value.shape) <= len(shape)
    have = padded(value, len(shape)) if fits else value.shape
    for dim, (size, want) in enumerate(zip(have, shape, strict=False)):
        if size not in (1, want) or not fits:
            facts: dict[str, Any] = {
                "operand": "value", "other": "the target", "inst": "item assignment",
            }  # fmt: skip
            if dim == 0 and fits:
                raise ctx.refusal(NKI2101, got=size, want=want, **facts)
            raise ctx.refusal(NKI2127, got=list(value.shape), want=list(shape), **facts)
    return spread_to(ctx, value, shape)
