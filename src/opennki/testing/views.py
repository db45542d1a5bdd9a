"""Random windows onto storage of their own: permuted, strided, sliced, repeated, reinterpreted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Final

from opennki.base import dtypes
from opennki.base.dtypes import DType
from opennki.ir import Space, Tensor, View

MAX_ROW_BYTES: Final = 2048
"""Bytes per partition of a generated tile: one PSUM bank."""

_OTHERS: Final = (dtypes.uint8, dtypes.int16, dtypes.bfloat16, dtypes.float32, dtypes.uint32)


@dataclass(frozen=True)
class Frame:
    """What a view must look like: partitions (or leading size), free dimensions, dtype, memory."""

    partitions: int
    free: tuple[int, ...]
    dtype: DType
    space: Space

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the view."""
        return (self.partitions, *self.free)


class Names:
    """Fresh tensor names."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(self) -> str:
        """The next name."""
        return f"t{next(self._numbers)}"


def plain(frame: Frame, names: Names) -> View:
    """The view of a whole tensor."""
    return View.whole(Tensor(names(), frame.shape, frame.dtype, frame.space))


def fancy(frame: Frame, names: Names, rnd: Random, *, written: bool) -> View:
    """A view of a part of a tensor.

    Args: written, whether an instruction writes it: then no two of its elements coincide.
    """
    if frame.space is Space.register:
        return plain(frame, names)
    dims = frame.free if frame.space.on_chip else frame.shape
    low, strides, extent = _layout(dims, rnd, repeat=not written)
    if frame.space.is_hbm and strides[0] < 0:  # no access pattern begins with a step back
        low += strides[0] * (dims[0] - 1)
        strides = (-strides[0], *strides[1:])
    before, after = rnd.choice((0, 0, 1, 2)), rnd.choice((0, 0, 1))
    row, kept = _storage(before + extent + after, frame.dtype, rnd)
    if frame.space.is_hbm:
        unit = 1 if kept is frame.dtype else 8
        rows = rnd.choice(
            [n for n in (1, 2, 3) if row * kept.itemsize % (n * unit) == 0 and row % n == 0]
        )
        tensor = Tensor(names(), (rows, row // rows), kept, frame.space)
        return View(tensor, before + low, dims, strides, frame.dtype)
    if row * kept.itemsize > MAX_ROW_BYTES:
        return plain(frame, names)
    number = frame.partitions
    step = 32 if number <= 32 else 64 if number <= 64 else 128
    start = rnd.choice([s for s in range(0, 128, step) if s + number <= 128])
    tensor = Tensor(names(), (rnd.choice((start + number, 128)), row), kept, frame.space)
    pitch = row * kept.itemsize // frame.dtype.itemsize
    offset = start * pitch + before + low
    return View(tensor, offset, frame.shape, (pitch, *strides), frame.dtype)


def _layout(
    dims: tuple[int, ...], rnd: Random, *, repeat: bool
) -> tuple[int, tuple[int, ...], int]:
    """Strides for `dims`, with the offset of the first element and the elements that they span."""
    order = list(range(len(dims)))[::-1]
    if rnd.random() < 0.3:
        rnd.shuffle(order)
    strides = [0] * len(dims)
    low, extent = 0, 1
    for axis in order:
        if repeat and rnd.random() < 0.1:
            continue
        stride = extent * rnd.choice((1, 1, 1, 2, 3))
        span = stride * (dims[axis] - 1)
        if repeat and rnd.random() < 0.1:
            low += span
            stride = -stride
        strides[axis] = stride
        extent += span
    return low, tuple(strides), extent


def _storage(elements: int, dtype: DType, rnd: Random) -> tuple[int, DType]:
    """Elements of a row that holds `elements` of `dtype`, and the dtype that it is declared with.

    A reinterpreted row is a multiple of 8 bytes, so that every dtype divides it.
    """
    if rnd.random() < 0.8:
        return elements, dtype
    other = rnd.choice(_OTHERS)
    size = -(-elements * dtype.itemsize // 8) * 8
    return size // other.itemsize, other


def split(number: int, rnd: Random, most: int = 3) -> tuple[int, ...]:
    """Random sizes, at most `most`, whose product is `number`."""
    sizes: list[int] = []
    while len(sizes) < most - 1 and rnd.random() < 0.4:
        size = rnd.choice([n for n in range(1, number + 1) if number % n == 0][:8])
        sizes.append(size)
        number //= size
    sizes.append(number)
    rnd.shuffle(sizes)
    return tuple(sizes)
