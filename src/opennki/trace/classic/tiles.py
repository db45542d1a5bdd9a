"""`ClassicTensor`: the tensor of the first generation, and `Window`, what indexing one gives.

An index may leave the tensor as long as the mask of the call that uses it does not, so a window
keeps what it was made of and is checked when it is used (`masks.taken`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI1084, NKI1094, NKI1095, NKI3014, NKI3040
from opennki.base.dtypes import DType
from opennki.ir import Tensor, row_major
from opennki.trace.fault import fault
from opennki.trace.fixed import window
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int, shown
from opennki.trace.refusals import needed
from opennki.trace.values import DynamicSlice, NkiTensor

from .index import Base, IndexExpr, as_expr

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Bound:
    """That ``0 <= expr < size`` must hold; `dim` is the dimension of the tensor that it is of."""

    expr: IndexExpr
    size: int
    dim: int


class ClassicTensor(NkiTensor):
    """A tensor or tile of the first generation."""

    __slots__ = ()

    bounds: tuple[Bound, ...] = ()
    """What must hold for the place to be inside of the tensor."""

    par = 0
    """Which dimension is the partition dimension, on chip."""

    def __getitem__(self, key: Any) -> ClassicTensor:
        """Elements by integers and slices, or by index expressions; loop indices go with both.

        Raises: NKI1084 for both kinds in one index; NKI3013, NKI3014 for a bad one.
        """
        keys = self._full_key(key if isinstance(key, tuple) else (key,))
        if any(isinstance(k, ClassicTensor) for k in keys):
            return ClassicTensor.at_run_time(self, keys)  # type: ignore[no-any-return]  # a window
        if any(isinstance(k, IndexExpr) and k.shape for k in keys):
            return self._by_expressions(keys)
        return self._by_slices(keys)

    def _by_slices(self, keys: tuple[Any, ...]) -> ClassicTensor:
        offset: Base = self.offset
        shape: list[int] = []
        strides: list[int] = []
        bounds: list[tuple[IndexExpr, int, int]] = []
        par = self.par
        for dim, k in enumerate(keys):
            size, step = self.shape[dim], self.strides[dim]
            if isinstance(k, slice | DynamicSlice):
                start, count, hop = _range(k, size, dim)
                offset = _moved(offset, start.base, step)
                bounds.append((start, len(shape), hop))
                if dim == self.par:
                    par = len(shape)
                shape.append(count)
                strides.append(step * hop)
                continue
            place = as_expr(k)
            if place is None:
                raise fault(NKI3014, got=shown(k), dim=dim)
            if place.constant is not None and place.constant < 0:
                place = place + size
            offset = _moved(offset, place.base, step)
            if self._stays(dim, keys, shape):
                bounds.append((place, len(shape), 0))
                if dim == self.par:
                    par = len(shape)
                shape.append(1)
                strides.append(step)
            else:
                bounds.append((place, -1, 0))
        if len(shape) == 1 and self.tensor.space.on_chip:  # partitions alone are a column
            shape.append(1)
            strides.append(1)
        rank = len(shape)
        made = []
        for dim, (start, at, hop) in enumerate(bounds):
            steps = tuple(hop if k == at else 0 for k in range(rank))
            made.append(Bound(IndexExpr(start.base, tuple(shape), steps), self.shape[dim], dim))
        return self._window(offset, tuple(shape), tuple(strides), tuple(made), par)

    def _stays(self, dim: int, keys: tuple[Any, ...], so_far: list[int]) -> bool:
        """Whether an integer leaves a dimension of size 1: the partition dimension, on chip."""
        last = dim == len(keys) - 1
        if self.tensor.space.on_chip:
            return dim == self.par or (last and len(so_far) < 2)
        return last and not so_far

    def _by_expressions(self, keys: tuple[Any, ...]) -> ClassicTensor:
        total = IndexExpr(0)
        places = []
        for dim, k in enumerate(keys):
            place = as_expr(k)
            if place is not None and place.ndim == 1:
                raise fault(NKI1094, dim=dim, name=self.tensor.name)
            if place is None and isinstance(k, slice) and self.shape[dim] == 1 == _size(k, 1):
                place = IndexExpr(0)
            if place is None:
                if isinstance(k, slice | DynamicSlice):
                    raise fault(NKI1084, name=self.tensor.name)
                raise fault(NKI3014, got=shown(k), dim=dim)
            places.append(place)
            total = total + place._times(self.strides[dim])
        shape = total.shape
        offset = _moved(self.offset, total.base, 1)
        bounds = tuple(
            Bound(_spread(place, shape), self.shape[dim], dim) for dim, place in enumerate(places)
        )
        return self._window(offset, shape, total.steps, bounds, 0)

    def _window(
        self, offset: Base, shape: Shape, strides: Shape, bounds: tuple[Bound, ...], par: int
    ) -> ClassicTensor:
        parts = (self.tensor, offset, shape, strides, self.dtype)
        return Window(*parts, bounds=(*self._kept(), *bounds), par=par)

    def _kept(self) -> tuple[Bound, ...]:
        """Conditions of a window that hold for all windows of it, too: it is used as a whole."""
        return ()

    def taken(self, offset: Base, shape: Shape, spans: Spans) -> ClassicTensor:
        """The part `spans` of it, which starts at `offset` and has `shape`; nothing is checked."""
        return Window(self.tensor, offset, shape, self.strides, self.dtype, par=self.par)

    def spread(self, shape: Shape, strides: Shape) -> ClassicTensor:
        """The storage from the same element on, with another shape and other strides."""
        return self._new(self.tensor, self.offset, shape, strides, self.dtype)

    def reshaped(self, shape: Shape) -> ClassicTensor:
        """It with dimensions of size 1 put in or left out, so that it has `shape`."""
        if shape == self.shape:
            return self
        sizes = [(size, dim) for dim, size in enumerate(self.shape) if size != 1]
        places = iter(sizes)
        source = [next(places)[1] if size != 1 else None for size in shape]
        strides = tuple(1 if dim is None else self.strides[dim] for dim in source)
        bounds = []
        for bound in self.bounds:
            steps = tuple(0 if dim is None else bound.expr.steps[dim] for dim in source)
            bounds.append(Bound(IndexExpr(bound.expr.base, shape, steps), bound.size, bound.dim))
        parts = (self.tensor, self.offset, shape, strides, self.dtype)
        return Window(*parts, bounds=tuple(bounds))

    def broadcast_to(self, shape: Any) -> ClassicTensor:
        """It with dimensions of size 1 repeated to `shape`."""
        return ClassicTensor.repeated(self, shape)  # type: ignore[no-any-return]  # a tile

    def _new(
        self, tensor: Tensor, offset: Base, shape: Shape, strides: Shape, dtype: DType
    ) -> ClassicTensor:  # fmt: skip
        self._kept()
        return Window(tensor, offset, shape, strides, dtype)

    def settled(self) -> ClassicTensor:
        """The part of its tensor, all of which must be inside, in the present trips of the loops.

        Raises: NKI3040 for a place that is not inside.
        """
        loops: Any = nki_ctx("settled").symbolic
        loops.uses(self.tensor)
        if any(n > 1 for n in self.shape[: self.par]):
            zeros = ", ".join("0" * self.par)
            facts = {"name": self.tensor.name, "shape": list(self.shape), "par": self.par}
            raise fault(NKI1095, zeros=zeros, **facts)
        if isinstance(self.offset, int) and not self.bounds and not self.par:
            return self
        require(self, [(0, size) for size in self.shape])
        shape, strides = self.shape[self.par :], self.strides[self.par :]
        return Window(self.tensor, loops.now(self.offset), shape, strides, self.dtype)

    # What operators do is in `operators`, which cannot be imported here: it needs the context.
    at_run_time: ClassVar[Callable[..., Any]]
    repeated: ClassVar[Callable[..., Any]]
    binary: ClassVar[Callable[..., Any]]
    add_to: ClassVar[Callable[..., Any]]
    assign: ClassVar[Callable[..., None]]

    def __setitem__(self, key: Any, value: object) -> None:
        """Write `value`, a tile or a number, to the elements that `key` selects."""
        ClassicTensor.assign(self[key], value)

    def __iadd__(self, value: Any) -> ClassicTensor:
        """Add to what is here."""
        return ClassicTensor.add_to(self, value)  # type: ignore[no-any-return]  # itself

    def __bool__(self) -> bool:
        """Raises: NKI1002: no tensor of this generation stands for an argument that may be None."""
        needed("a condition (`if`, `while`, `and`, `or`, `not`, bool())", self)

    def __len__(self) -> int:
        return self.shape[0]

    __hash__ = object.__hash__


class Window(ClassicTensor):
    """A part of a tensor whose place may depend on loop indices, or be outside but for a mask."""

    __slots__ = ("bounds", "par")

    def __init__(
        self, tensor: Tensor, offset: int | AffineExpr, shape: Shape, strides: Shape, dtype: DType,
        *, bounds: tuple[Bound, ...] = (), par: int = 0,
    ) -> None:  # fmt: skip
        fields = ("tensor", "offset", "shape", "strides", "dtype", "bounds", "par")
        parts = (tensor, offset, shape, strides, dtype, bounds, par)
        for name, part in zip(fields, parts, strict=True):
            object.__setattr__(self, name, part)

    @property
    def placing(self) -> Hashable:  # type: ignore[override]  # an attribute costs less
        """No remembered call has a place that is still to be checked."""
        return "unsettled" if self.bounds or self.par else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self.tensor, self.offset, self.shape, self.strides, self.dtype)

    def _kept(self) -> tuple[Bound, ...]:
        require(self, [(0, size) for size in self.shape])
        return ()


def covering(tensor: Tensor) -> ClassicTensor:
    """The value that covers all of `tensor`."""
    whole = row_major(tensor.shape)
    made: ClassicTensor = window(ClassicTensor, tensor, 0, tensor.shape, whole, tensor.dtype)
    return made


Spans = list[tuple[int, int]]
"""First place and the one after the last, of every dimension."""


def require(view: ClassicTensor, spans: Spans) -> None:
    """Raises: NKI3040 unless the part `spans` of a view is inside its tensor."""
    for bound in view.bounds:
        low, high = IndexExpr(bound.expr.base).bounds()
        for (start, stop), step in zip(spans, bound.expr.steps, strict=True):
            low += min(step * start, step * (stop - 1))
            high += max(step * start, step * (stop - 1))
        if low < 0 or high >= bound.size:
            raise fault(
                NKI3040, name=view.tensor.name, dim=bound.dim, first=low, last=high,
                size=bound.size,
            )  # fmt: skip


def _moved(offset: Base, by: Base, stride: int) -> Base:
    moved = by * stride
    total = moved + offset if isinstance(moved, AffineExpr) else offset + moved
    return total if isinstance(total, int) or total.terms else total.const


def _size(part: slice, size: int) -> int:
    return len(range(*part.indices(size)))


def _range(part: slice | DynamicSlice, size: int, dim: int) -> tuple[IndexExpr, int, int]:
    """Start, count and step of a slice, whose count must be known while tracing."""
    if isinstance(part, DynamicSlice):
        start, count = as_expr(part.start), plain_int(part.size)
        if start is None or count is None or count < 1:
            raise fault(NKI3014, got=repr(part), dim=dim)
        return start, count, 1
    hop = 1 if part.step is None else plain_int(part.step)
    first = as_expr(0 if part.start is None else part.start)
    end = as_expr(size if part.stop is None else part.stop)
    if hop is None or hop < 1 or first is None or end is None:
        raise fault(NKI3014, got=repr(part), dim=dim)
    first, end = (_from_end(e, size) for e in (first, end))
    length = end - first
    if length.constant is None:
        length = IndexExpr(length.concrete("the length of a slice"))
    count = -(-int(length) // hop)
    if count < 1:
        raise fault(NKI3014, got=f"the empty slice {first!r}:{end!r}", dim=dim)
    return first, count, hop


def _from_end(end: IndexExpr, size: int) -> IndexExpr:
    number = end.constant
    return end + size if number is not None and number < 0 else end


def _spread(expr: IndexExpr, shape: Shape) -> IndexExpr:
    """`expr` as an expression over `shape`, which it combines with."""
    ahead = len(shape) - expr.ndim
    return IndexExpr(expr.base, shape, (0,) * ahead + expr.steps)
