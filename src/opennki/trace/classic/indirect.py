"""Indices that are tiles: places that are known at run time only.

``x[idx[i_p, 0], i_f]`` takes the row ``idx[p, 0]`` of a tensor in HBM for partition p (a vector of
indices); an index of one element moves a window of any tensor along a dimension that is not its
partitions. Source: NKI 0.1 language reference, load and store; error guide,
indirect_indices_free_dim.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI1125
from opennki.base.dtypes import DType
from opennki.ir import Index, IndirectView, Tensor
from opennki.trace.fault import fault
from opennki.trace.indirect import index_of
from opennki.trace.nki_ctx import nki_ctx

from .index import Base, IndexExpr
from .tiles import Bound, ClassicTensor, Shape, Spans, Window, require


class IndirectWindow(Window):
    """A window whose place depends on a run-time index."""

    __slots__ = ("index",)

    def __init__(
        self, tensor: Tensor, offset: int | AffineExpr, shape: Shape, strides: Shape, dtype: DType,
        *, bounds: tuple[Bound, ...] = (), index: Index,
    ) -> None:  # fmt: skip
        super().__init__(tensor, offset, shape, strides, dtype, bounds=bounds)
        object.__setattr__(self, "index", index)

    placing = IndirectView.placing

    def taken(self, offset: Base, shape: Shape, spans: Spans) -> ClassicTensor:
        """A part of it: of a vector of indices, those of the rows that are left."""
        index = self.index
        assert index is not None
        source: Any = index.source
        start, stop = spans[0]
        cut = [(start, stop) if index.vector else (0, 1), (0, 1)]
        require(source, cut)
        loops: Any = nki_ctx("mask=").symbolic
        place = loops.now(source.offset)
        if index.vector:
            place = place + start * source.strides[0]
        rows = stop - start if index.vector else 1
        left = Window(source.tensor, place, (rows, 1), source.strides, source.dtype)
        return IndirectWindow(
            self.tensor, offset, shape, self.strides, self.dtype, index=replace(index, source=left)
        )

    def settled(self) -> ClassicTensor:
        """It in the present trips of the loops, all of it inside of its tensor."""
        loops: Any = nki_ctx("settled").symbolic
        spans = [(0, size) for size in self.shape]
        require(self, spans)
        return self.taken(loops.now(self.offset), self.shape, spans)

    def _new(
        self, tensor: Tensor, offset: Base, shape: Shape, strides: Shape, dtype: DType
    ) -> NoReturn:
        raise fault(NKI1125, why="a window with an index that is a tile cannot be changed again")

    def __getitem__(self, key: Any) -> ClassicTensor:
        """Refused: what a run-time index selects is used as it is. Raises: NKI1125."""
        raise fault(NKI1125, why="a window with an index that is a tile cannot be indexed again")


def at_run_time(view: ClassicTensor, keys: tuple[Any, ...]) -> ClassicTensor:
    """``view[keys]``, where a key is a tile. Raises: NKI1125, NKI3033."""
    dims = [dim for dim, k in enumerate(keys) if isinstance(k, ClassicTensor)]
    if len(dims) > 1:
        raise fault(NKI1125, why="two indices are tiles, and one is possible")
    (dim,) = dims
    tile = keys[dim]
    if len(tile.shape) != 2 or tile.shape[1] != 1:
        raise fault(NKI1125, why=f"the tile is {list(tile.shape)}, not one index per partition")
    rest = list(keys)
    rest[dim] = IndexExpr(0)
    base = view[tuple(rest)] if len(rest) > 1 else None
    if base is None:
        base = Window(view.tensor, view.offset, (1, 1), (1, 1), view.dtype)
    elif len(base.shape) < 2:
        base = base.spread((1, *base.shape), (1, *base.strides))
    stride, limit = view.strides[dim], view.shape[dim]
    if tile.shape[0] == 1:
        index = index_of(base, tile, stride, limit)
        return _made(base, base.shape, base.strides, index)
    if base.shape[0] != 1 and (base.strides[0] or base.shape[0] != tile.shape[0]):
        raise fault(NKI1125, why="another index varies along the partitions, too")
    shape = (tile.shape[0], *base.shape[1:])
    whole = Window(base.tensor, base.offset, shape, base.strides, base.dtype)
    index = index_of(whole, tile, stride, limit, vector=True)
    return _made(base, shape, (stride, *base.strides[1:]), index)


def _made(base: ClassicTensor, shape: Shape, strides: Shape, index: Index) -> IndirectWindow:
    """`base` with an index; its bounds, over the shape that the index gives it."""
    bounds = []
    for bound in base.bounds:
        steps = (0,) * (len(shape) - len(bound.expr.steps)) + bound.expr.steps
        bounds.append(Bound(IndexExpr(bound.expr.base, shape, steps), bound.size, bound.dim))
    parts = (base.tensor, base.offset, shape, strides, base.dtype)
    return IndirectWindow(*parts, bounds=tuple(bounds), index=index)


def by_rows(target: ClassicTensor, source: ClassicTensor) -> list[tuple[Any, Any]]:
    """The transfers that one with a vector of indices comes to where each needs one index.

    ``x[idx, :] <- t`` is ``x[idx[p], :] <- t[p]`` for every partition p.
    """
    views = (target, source)
    rows = next(v.shape[0] for v in views if v.index is not None and v.index.vector)
    return [tuple(_row(view, p) for view in views) for p in range(rows)]  # type: ignore[misc]


def has_vector(*views: ClassicTensor) -> bool:
    """Whether one of `views` takes its rows by a vector of indices."""
    return any(view.index is not None and view.index.vector for view in views)


def _row(view: ClassicTensor, p: int) -> ClassicTensor:
    """Row `p` of a view; that of a vector is at its index."""
    index = view.index
    shape = (1, *view.shape[1:])
    if index is None or not index.vector:
        offset: Any = view.offset
        parts = (view.tensor, offset + p * view.strides[0], shape, view.strides, view.dtype)
        return Window(*parts)
    source: Any = index.source
    place, steps = source.offset + p * source.strides[0], (source.strides[0], 1)
    one = Window(source.tensor, place, (1, 1), steps, source.dtype)
    parts = (view.tensor, view.offset, shape, view.strides, view.dtype)
    return IndirectWindow(*parts, index=replace(index, source=one, vector=False))


ClassicTensor.at_run_time = staticmethod(at_run_time)
