"""Views: strided windows onto tensors, the only operand kind besides numbers.

The element that index ``(i0, i1, ...)`` of a view addresses is element
``offset + sum(strides[k] * i_k)`` of its storage, laid out row-major and counted in elements of the
view's dtype. Methods that kernels call (slicing, permuting, ...) are in `opennki.trace.values`.
"""

from __future__ import annotations

from math import prod

import numpy as np

from opennki.base.affine import AffineExpr
from opennki.base.dtypes import DType

from .tensor import Space, Tensor


class View:
    """A window of `shape` and `strides` (elements) at `offset` (elements) of `tensor`.

    `dtype` may reinterpret the storage. Strides may be 0 (repeat). On chip, dimension 0 walks the
    partitions and its stride is the storage's elements per partition.
    """

    __slots__ = ("dtype", "offset", "shape", "strides", "tensor")

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
        )

    def __hash__(self) -> int:
        return hash((self.tensor.name, self.shape, self.strides, self.dtype))


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
    return f"{view.dtype}[{dims}] in {view.tensor.space}{origin}"
