"""Views: strided windows onto tensors, the only operand kind besides numbers.

The element that index ``(i0, i1, ...)`` of a view addresses is element
``offset + sum(strides[k] * i_k)`` of its storage, laid out row-major and counted in elements of the
view's dtype. Methods that kernels call (slicing, permuting, ...) are in `opennki.trace.values`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final

import numpy as np

from opennki.base.affine import AffineExpr
from opennki.base.dtypes import DType, int8, int16, int32, uint8, uint16, uint32

from .tensor import Space, Tensor

INDICES: Final = frozenset({int32, uint32, int16, uint16, int8, uint8})
"""Dtypes that run-time indices may have. Model: the references name uint32 and int32."""


@dataclass(frozen=True, eq=False)
class Index:
    """The part of a view's place that is known at run time only.

    Attributes: source, where the index is read: a register, one element in SBUF, or a tile in SBUF;
    stride, elements of the view's dtype that one index is worth; limit, indices are below it;
    vector, whether there is one index per element of the first dimension, whose own stride then
    means nothing; snake, whether there is one per element of the last dimension, read by groups of
    partitions (`snake_group`).

    Of a vector, index ``[p, k]`` of a tile of P rows is that of element ``k * P + p``. Of a snake,
    the partitions ``g * G`` to ``g * G + G - 1`` find the index of element i at
    ``[g * G + i % G, i // G]``. Source: NKI language reference, vector_select and indirect.
    """

    source: View
    stride: int
    limit: int
    vector: bool = False
    snake: bool = False

    @cached_property
    def kind(self) -> tuple[object, ...]:
        """Everything about it that a rule may depend on."""
        source = self.source
        place = (source.shape, source.strides, source.dtype, source.tensor.space)
        return (*place, self.stride, self.limit, self.vector, self.snake)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Index)
            and self.kind == other.kind
            and View.__eq__(self.source, other.source)  # kernels' tensors refuse ==
        )

    def __hash__(self) -> int:
        return hash(self.kind)


class View:
    """A window of `shape` and `strides` (elements) at `offset` (elements) of `tensor`.

    `dtype` may reinterpret the storage. Strides may be 0 (repeat). On chip, dimension 0 walks the
    partitions and its stride is the storage's elements per partition.
    """

    __slots__ = ("dtype", "offset", "shape", "strides", "tensor")

    index: Index | None = None
    """What is added to the place at run time; only an `IndirectView` has any."""

    placing: Hashable = None
    """What rules may depend on besides the attributes above: the kind of `index`, for example."""

    def __init__(
        self,
        tensor: Tensor,
        offset: int | AffineExpr,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
    ) -> None:
        self.tensor = tensor
        self.offset = offset
        self.shape = shape
        self.strides = strides
        self.dtype = dtype

    @classmethod
    def whole(cls, tensor: Tensor) -> View:
        """The view that covers all of `tensor`."""
        return cls(tensor, 0, tensor.shape, row_major(tensor.shape), tensor.dtype)

    @property
    def dims(self) -> tuple[tuple[int, int], ...]:
        """Access pattern ``((stride, count), ...)``, outermost first."""
        return tuple(zip(self.strides, self.shape, strict=True))

    @property
    def space(self) -> Space:
        """Memory that the storage lives in."""
        return self.tensor.space

    @property
    def row(self) -> int:
        """Elements (of this view's dtype) that the storage has per partition."""
        tensor = self.tensor
        if tensor.dtype is self.dtype:
            return tensor.row
        return tensor.row * tensor.dtype.itemsize // self.dtype.itemsize

    @property
    def start_partition(self) -> int:
        """First partition that an on-chip view touches, counted from the storage's first."""
        row = self.row
        return self.const_offset // row if row else 0

    @property
    def free_offset(self) -> int:
        """Element offset inside the partition (on chip)."""
        row = self.row
        return self.const_offset % row if row else 0

    @property
    def const_offset(self) -> int:
        """The offset when every loop variable is at its start."""
        offset = self.offset
        return offset.const if isinstance(offset, AffineExpr) else offset

    @property
    def partitions(self) -> int:
        """Size of dimension 0."""
        return self.shape[0]

    @property
    def free_size(self) -> int:
        """Elements per partition: the product of all dimensions but the first."""
        return prod(self.shape[1:])

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    def is_whole(self) -> bool:
        """Whether this is exactly `View.whole(self.tensor)`."""
        tensor = self.tensor
        return (
            self.offset == 0
            and self.index is None
            and self.shape == tensor.shape
            and self.dtype is tensor.dtype
            and self.strides == row_major(tensor.shape)
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, View)
            and self.tensor.name == other.tensor.name
            and self.offset == other.offset
            and self.shape == other.shape
            and self.strides == other.strides
            and self.dtype == other.dtype
            and self.index == other.index
        )

    def __hash__(self) -> int:
        return hash((self.tensor.name, self.shape, self.strides, self.dtype))


class IndirectView(View):
    """A view whose place depends on an `index` that is read at run time."""

    __slots__ = ("index",)

    def __init__(
        self,
        tensor: Tensor,
        offset: int | AffineExpr,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
        index: Index | None,
    ) -> None:
        super().__init__(tensor, offset, shape, strides, dtype)
        self.index = index

    @property
    def placing(self) -> Hashable:  # type: ignore[override]  # an attribute costs less
        """The kind of the index."""
        return self.index and self.index.kind


def changed(
    view: View,
    *,
    tensor: Tensor | None = None,
    offset: int | AffineExpr | None = None,
    shape: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> View:
    """`view` with some of its parts replaced, and the same run-time index."""
    parts = (
        view.tensor if tensor is None else tensor,
        view.offset if offset is None else offset,
        view.shape if shape is None else shape,
        view.strides if strides is None else strides,
        view.dtype,
    )
    return View(*parts) if view.index is None else IndirectView(*parts, view.index)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a dense row-major array of `shape`, in elements."""
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def compact(view: View, most: int) -> tuple[tuple[int, int], ...]:
    """Access pattern of a view with as few pairs as it takes to be at most `most`, if possible.

    First dimensions of size 1 go, then neighbours that walk densely become one (in HBM only: on
    chip an instruction may mean something by its dimensions). The first pair stays on chip.
    """
    dims = view.dims
    if len(dims) <= most:
        return dims
    on_chip = view.tensor.space.on_chip
    kept = [pair for k, pair in enumerate(dims) if pair[1] != 1 or (on_chip and k == 0)]
    if on_chip or len(kept) <= most:
        return tuple(kept) or dims[-1:]
    merged: list[tuple[int, int]] = []
    for step, count in kept:
        if merged and merged[-1][0] == step * count:
            step, count = step, merged.pop()[1] * count
        merged.append((step, count))
    return tuple(merged)


def distinct(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """How many different elements a view of `shape` and `strides` has."""
    steps = sorted((abs(s), n) for n, s in zip(shape, strides, strict=True) if n > 1)
    reach = 0
    for step, count in steps:
        if step <= reach:  # perhaps two indices meet: look at all of them
            places = np.zeros(1, np.int64)
            for s, n in steps:
                places = np.unique(places[:, None] + s * np.arange(n))
            return int(places.size)
        reach += step * (count - 1)
    return prod(shape)


def describe(view: View) -> str:
    """One line for messages: ``bfloat16[128, 640] in sbuf, view of `k```."""
    dims = ", ".join(map(str, view.shape))
    origin = "" if view.is_whole() else f", view of `{view.tensor.name}`"
    if view.index is not None:
        origin += f" at run-time {'indices' if view.index.vector else 'index'}"
    return f"{view.dtype}[{dims}] in {view.tensor.space}{origin}"
