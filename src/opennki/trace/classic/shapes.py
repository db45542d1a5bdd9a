"""Shapes that are combined: of tiles that an operator takes, or that are assigned.

Source: NKI 0.1 language reference: sizes of 1 are repeated, also along the partitions.
"""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI2101, NKI2127
from opennki.trace.context import TraceContext
from opennki.trace.sema import select

from .tiles import ClassicTensor, Shape


def shape_of(fn: str, ctx: TraceContext, tiles: dict[str, ClassicTensor]) -> Shape:
    """The shape that tiles have together: sizes of 1 take that of the others.

    A tile with one element per partition goes with any number of free dimensions.
    Raises: NKI2101 for partitions, NKI2127 for free dimensions that do not fit.
    """
    rank = max(len(t.shape) for t in tiles.values())
    full = {name: padded(t, rank) for name, t in tiles.items()}
    shape = tuple(max(sizes) for sizes in zip(*full.values(), strict=True))
    for name, have in full.items():
        for dim, (size, want) in enumerate(zip(have, shape, strict=True)):
            if size in (1, want):
                continue
            other = next(n for n, h in full.items() if h[dim] == want)
            facts: dict[str, Any] = {"operand": name, "other": other, "inst": f"nl.{fn}"}
            if dim == 0:
                raise ctx.refusal(NKI2101, got=size, want=want, **facts)
            raise ctx.refusal(
                NKI2127, got=list(tiles[name].shape), want=list(tiles[other].shape), **facts
            )
    return shape


def padded(view: ClassicTensor, rank: int) -> Shape:
    """Shape of `view` with as many dimensions as `rank`: ones come after the partitions."""
    return (view.shape[0], *(1,) * (rank - len(view.shape)), *view.shape[1:])


def spread_to(ctx: TraceContext, view: ClassicTensor, shape: Shape) -> ClassicTensor:
    """`view` repeated to `shape`: by strides of 0, and by a transfer for the partitions."""
    if view.shape == shape:
        return view
    view = ranked(view, len(shape))
    if view.shape[0] != shape[0]:
        rows: Any = select.broadcast_to(view, (shape[0], *view.shape[1:]))
        view = rows
    parts = zip(view.shape, shape, view.strides, strict=True)
    return view.spread(shape, tuple(step if size == want else 0 for size, want, step in parts))


def ranked(view: ClassicTensor, rank: int) -> ClassicTensor:
    """`view` with as many dimensions as `rank`."""
    if len(view.shape) == rank:
        return view
    ahead = (1,) * (rank - len(view.shape))
    return view.spread(padded(view, rank), (view.strides[0], *ahead, *view.strides[1:]))
