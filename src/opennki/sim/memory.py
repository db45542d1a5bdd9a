"""Simulated storage: bytes, which of them were written, and strided windows onto them."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI3001
from opennki.base.diag import fail
from opennki.base.dtypes import DType
from opennki.base.loc import SrcLoc
from opennki.base.numerics import NARROW_FLOATS, from_f32, poison, storage

from .uses import Marked, Uses, remarked

Array = NDArray[Any]


class Place(Protocol):
    """What owns storage: a tensor of Penguin or a memory location of BIR."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    row: int
    loc: SrcLoc


class Window(NamedTuple):
    """Which elements of a storage: offset and strides are in elements of `dtype`."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType


class Storage:
    """The bytes of one tensor, in a buffer of its own or at its address in a core's memory.

    Attributes: place, the tensor; data, the buffer's bytes; written, one byte per byte of this
    storage's own elements (laid out densely), None once everything was written; base, first byte
    in `data`; pitch, bytes from one partition to the next in `data`, None when dense; width, bytes
    of one element as stored (4 for narrow floats when rounding is off); uses, who used which of
    the bytes that cores of a launch share, None for storage of one core; products, laid out as
    `written`, what matrix products wrote, None if that is nothing.
    """

    __slots__ = (
        "base", "data", "pitch", "place", "precise", "products", "uses", "width", "written",
    )  # fmt: skip

    def __init__(
        self,
        place: Place,
        *,
        precise: bool = True,
        data: NDArray[np.uint8] | None = None,
        base: int = 0,
        pitch: int | None = None,
        filled: bool = False,
    ) -> None:
        """See the class; `filled`, the caller will `fill` it, so that it needs no pattern."""
        self.place = place
        self.precise = precise
        self.width = storage(place.dtype, precise).itemsize
        size = self.row_bytes * place.shape[0]
        self.base = base
        self.pitch = pitch
        self.data = np.empty(size, np.uint8) if data is None else data
        self.written: NDArray[np.uint8] | None = np.zeros(size, np.uint8)
        self.uses: Uses | None = None
        self.products: NDArray[np.uint8] | None = None
        if data is None and not filled:
            self.poison()

    @property
    def row_bytes(self) -> int:
        """Bytes per partition, or per leading index."""
        return self.place.row * self.width

    def poison(self) -> None:
        """Fill with the pattern of memory that nothing has written."""
        pattern = np.frombuffer(poison(self.place.dtype, self.precise), np.uint8)
        rows = np.tile(pattern, self.place.row)
        self._rows()[...] = rows

    def _rows(self) -> NDArray[np.uint8]:
        """All bytes as (leading index, bytes of a row)."""
        pitch = self.row_bytes if self.pitch is None else self.pitch
        return np.ndarray(
            (self.place.shape[0], self.row_bytes), np.uint8, self.data, self.base, (pitch, 1)
        )

    def fill(self, values: Array) -> None:
        """Set the whole contents; everything counts as written."""
        kind = storage(self.place.dtype, self.precise)
        dense = np.ascontiguousarray(values, dtype=kind).reshape(self.place.shape[0], -1)
        self._rows()[...] = dense.view(np.uint8).reshape(self.place.shape[0], -1)
        self.written = None

    def window(
        self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType
    ) -> Array:
        """The elements at ``offset + sum(strides * index)``, as an array that shares memory."""
        if not self.precise and dtype != self.place.dtype:
            self._reinterpreted(dtype)
        kind = storage(dtype, self.precise)
        width = kind.itemsize
        if self.pitch is None:
            steps = tuple(s * width for s in strides)
            return np.ndarray(shape, kind, self.data, self.base + offset * width, steps)
        row = self.row_bytes // width
        start = self.base + offset // row * self.pitch + offset % row * width
        first = self.pitch if strides[0] else 0
        steps = (first, *(s * width for s in strides[1:]))
        return np.ndarray(shape, kind, self.data, start, steps)

    def _reinterpreted(self, dtype: DType) -> None:
        """Keep true bytes from here on, if reading them as `dtype` needs them.

        Without rounding, narrow floats are stored as float32, whose bytes are not the device's.
        """
        mine = self.place.dtype
        if {mine, dtype}.isdisjoint(NARROW_FLOATS):
            return
        values, written, old_width = self.values(), self.written, self.width
        self.precise, self.width = True, mine.itemsize
        self.data = np.empty(self.row_bytes * self.place.shape[0], np.uint8)
        self.fill(from_f32(values, mine) if mine in NARROW_FLOATS else values)
        self.written = None if written is None else remarked(written, old_width, self.width)
        if self.products is not None:
            self.products = remarked(self.products, old_width, self.width)
        if self.uses is not None:
            self.uses.remark(old_width, self.width)

    def marks(
        self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType
    ) -> Array | None:
        """First byte of the written mark of every element; None when everything was written."""
        if self.written is None:
            return None
        return self.marked(Window(offset, shape, strides, dtype)).of(self.written)

    def marked(self, view: Window) -> Marked:
        """Which marks are those of the elements of `view`."""
        width = storage(view.dtype, self.precise).itemsize
        steps = tuple(s * width for s in view.strides)
        return Marked(view.offset * width, view.shape, steps, width)

    def renew(self) -> None:
        """Nothing has written this, and it holds what such memory does."""
        self.written = np.zeros(self.row_bytes * self.place.shape[0], np.uint8)
        self.products = None
        self.poison()

    def multiplied(self, view: Window) -> Array:
        """The marks of what matrix products wrote, to be read or set."""
        if self.products is None:
            self.products = np.zeros(self.row_bytes * self.place.shape[0], np.uint8)
        return self.marked(view).of(self.products)

    def values(self) -> Array:
        """A copy of the whole contents in the tensor's shape."""
        kind = storage(self.place.dtype, self.precise)
        return np.array(self._rows()).view(kind).reshape(self.place.shape)


class Memory:
    """Storages by name: one core's own, and those that all cores of a launch share.

    `find` makes a storage when its place is first used, in a buffer of its own.
    """

    def __init__(self, precise: bool = True, shared: dict[str, Storage] | None = None) -> None:
        self.precise = precise
        self.shared = shared
        self.own: dict[str, Storage] = {}

    def find(self, place: Any, *, filled: bool = False) -> Storage:
        """The storage of a tensor or memory location; `filled`, the caller will `fill` it."""
        found = self.own.get(place.name)
        if found is None:
            found = self.own[place.name] = self._make(place, filled)
        return found

    def _make(self, place: Any, filled: bool) -> Storage:
        if self.shared is not None and is_shared(place):
            found = self.shared.get(place.name)
            if found is None:
                found = self.shared[place.name] = self._new(place, filled)
                found.uses = Uses(found.row_bytes * place.shape[0])
            return found
        return self._new(place, filled)

    def _new(self, place: Any, filled: bool) -> Storage:
        try:
            made = Storage(place, precise=self.precise, filled=filled)
        except (MemoryError, ValueError, OverflowError):  # beyond what NumPy can allocate
            size = prod(place.shape) * place.dtype.itemsize
            why = f"the simulator has no room for its {size} bytes"
            raise fail(NKI3001, place.loc, shape=list(place.shape), why=why) from None
        if place.data is not None:
            made.fill(np.asarray(place.data).astype(storage(place.dtype, self.precise)))
        return made


def is_shared(place: Any) -> bool:
    """Whether every core of a launch sees this place: shared HBM."""
    space = getattr(place, "space", None)
    return bool(place.shared) if space is None else space.name == "shared_hbm"
