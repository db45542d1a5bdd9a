"""`NkiTensor`: the tensor value that kernels hold. It *is* a `View`, with the methods NKI gives it.

Every method returns a new window onto the same storage; none moves data. Operators that would
compute on device data are refused with a hint (`refusals`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any, ClassVar, NoReturn

from opennki.base.affine import AffineExpr
from opennki.base.codes import (
    NKI1031,
    NKI3010,
    NKI3011,
    NKI3012,
    NKI3013,
    NKI3015,
    NKI3016,
)  # fmt: skip
from opennki.base.diag import Code
from opennki.base.dtypes import DType
from opennki.ir import Index, IndirectView, Space, Tensor, View, describe, row_major
from opennki.penguin import beyond

from .fault import fault
from .fixed import FixedView, window
from .indirect import ONLY_ONE, index_of, is_index, unusable
from .nki_ctx import nki_ctx_or_none
from .view_methods import ViewMethods, as_index

_new = object.__new__

_FIELDS = ("tensor", "offset", "shape", "strides", "dtype")


class DynamicSlice:
    """``nl.ds(start, size)``: `size` elements from `start`."""

    __slots__ = ("size", "start")

    def __init__(self, start: int, size: int) -> None:
        self.start = start
        self.size = size

    def __repr__(self) -> str:
        return f"nl.ds({self.start}, {self.size})"


class NkiTensor(FixedView):
    """A tensor or a window onto one, as kernels see it.

    Attributes: shape, strides and offset (elements), dtype, buffer, name, ndim, size. On chip,
    dimension 0 is the partition dimension: it stays first and is never dropped, so on-chip tensors
    have at least two dimensions.
    """

    __slots__ = ()

    store_item: ClassVar[Callable[[NkiTensor, NkiTensor], None] | None] = None
    """What an item assignment does, once the language's functions are loaded."""

    @property
    def buffer(self) -> Space:
        """Memory that it lives in (`nl.sbuf`, `nl.psum`, `nl.shared_hbm`, `nl.private_hbm`)."""
        return self.tensor.space

    @property
    def name(self) -> str:
        """Name of the storage."""
        return self.tensor.name

    @property
    def address(self) -> tuple[int, int] | None:
        """First partition and byte offset in it, of a tensor that the author placed; else None."""
        tensor = self.tensor
        if tensor.address is None:
            return None
        first = tensor.start_partition + self.start_partition
        return first, tensor.address + self.free_offset * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    # ---- indexing ----------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> NkiTensor:
        """Window selected by integers, slices, ``...`` and `nl.ds`, as in NumPy.

        Raises: NKI3010 to NKI3015 for indices that are out of range, empty or of the wrong kind.
        """
        shape = self.shape
        if key.__class__ is not tuple:
            key = (key,)
        if len(key) != len(shape):
            key = self._full_key(key)
        offset: Any = self.offset
        new_shape: list[int] = []
        new_strides: list[int] = []
        for k, size, step in zip(key, shape, self.strides):  # noqa: B905  # equal, hot
            if k.__class__ is slice:
                start, stop, hop = k.start, k.stop, k.step
                if start.__class__ is not int:
                    start = 0 if start is None else as_index(start)
                if stop.__class__ is not int:
                    stop = size if stop is None else as_index(stop)
                if start < 0:
                    start += size
                if stop < 0:
                    stop += size
                if not 0 <= start < stop <= size:
                    _bad_slice(len(new_shape), k, size)
                offset += start * step
                if hop is None or hop == 1:
                    new_shape.append(stop - start)
                    new_strides.append(step)
                else:
                    hop = self._step(hop)
                    new_shape.append((stop - start + hop - 1) // hop)
                    new_strides.append(step * hop)
            else:
                return self._general(key)
        if self.index is not None:
            return self._sliced(offset, tuple(new_shape), tuple(new_strides))
        made: Any = _new(ViewMethods)
        made.tensor = self.tensor
        made.offset = offset
        made.shape = tuple(new_shape)
        made.strides = tuple(new_strides)
        made.dtype = self.dtype
        made.__class__ = NkiTensor
        return made  # type: ignore[no-any-return]  # it has just become one

    def _general(self, key: tuple[Any, ...]) -> NkiTensor:
        """`__getitem__` for a full key with something other than slices in it."""
        for dim, k in enumerate(key):
            if is_index(k.start if k.__class__ is DynamicSlice else k):
                return self._at_run_time(dim, k, key)
        offset: Any = self.offset
        shape: list[int] = []
        strides: list[int] = []
        for dim, k in enumerate(key):
            size, step = self.shape[dim], self.strides[dim]
            if k.__class__ is slice or k is Ellipsis or k.__class__ is DynamicSlice:
                part: Any = slice(None) if k is Ellipsis else k
                if part.__class__ is DynamicSlice:
                    start = as_index(part.start)
                    part = slice(start, start + as_index(part.size))
                    if not 0 <= start < part.stop <= size:
                        _bad_slice(dim, part, size, negative=False)
                if not _selects(part, size):
                    _bad_slice(dim, part, size)
                piece = window(NkiTensor, self.tensor, 0, (size,), (step,), self.dtype)[part]
                offset += piece.offset
                shape += piece.shape
                strides += piece.strides
            else:
                index = k if k.__class__ is int else as_index(k)
                if index < 0:
                    index += size
                if not 0 <= index < size:
                    _fail(NKI3010, index=k, dim=dim, size=size, negative="negative")
                offset += index * step
                if self._keeps(dim, key, shape):
                    shape.append(1)
                    strides.append(step)
        if self.index is not None:
            return self._sliced(offset, tuple(shape), tuple(strides))
        return self._new(self.tensor, offset, tuple(shape), tuple(strides), self.dtype)

    def _at_run_time(self, dim: int, k: Any, key: tuple[Any, ...]) -> NkiTensor:
        """`__getitem__` with a register or a tile at `dim`; the rest of the key comes first."""
        rest = list(key)
        size = 1
        start = k
        if k.__class__ is DynamicSlice:
            start, size = k.start, as_index(k.size)
            if not 1 <= size <= self.shape[dim]:
                _bad_slice(dim, slice(0, size), self.shape[dim], negative=False)
            rest[dim] = slice(0, size)
        else:
            rest[dim] = 0
        index = index_of(self, start, self.strides[dim], self.shape[dim] - size + 1)
        made = self[tuple(rest)]
        if made.index is not None:
            raise unusable(ONLY_ONE)
        return IndirectTensor(made.tensor, made.offset, made.shape, made.strides, made.dtype, index)

    def _judged(self, made: NkiTensor) -> NkiTensor:
        if made.index is not None or not any(True for _ in beyond(made)):
            return made
        parts = (made.tensor, made.offset, made.shape, made.strides, made.dtype)
        return window(StrayTensor, *parts)  # type: ignore[no-any-return]  # of that class

    def _sliced(self, offset: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> NkiTensor:
        """A window of a view with a run-time index: what the index selects stays whole."""
        index = self.index
        assert index is not None
        if index.vector and (shape[:1], strides[:1]) != (self.shape[:1], self.strides[:1]):
            raise unusable("what a vector of indices selects cannot be sliced or selected again")
        return IndirectTensor(self.tensor, offset, shape, strides, self.dtype, index)

    def _keeps(self, dim: int, key: tuple[Any, ...], so_far: list[int]) -> bool:
        """Whether an integer index at `dim` leaves a dimension of size 1.

        On chip the partition dimension stays, and so does the last one where fewer than two
        dimensions would be left. HBM tensors keep their last dimension only.
        """
        last = dim == len(key) - 1
        if self.tensor.space.on_chip:
            return dim == 0 or (last and len(so_far) < 2)
        return last and not so_far

    def _full_key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """`key` with ``...`` and missing dimensions replaced by full slices."""
        given = [k for k in key if k is not Ellipsis]
        missing = len(self.shape) - len(given)
        if len(key) - len(given) > 1:
            _fail(NKI3016, got=len(key) - len(given))
        if missing < 0:
            _fail(NKI3013, got=len(given), ndim=len(self.shape))
        at = next((i for i, k in enumerate(key) if k is Ellipsis), len(given))
        return (*given[:at], *[slice(None)] * missing, *given[at:])

    def _step(self, value: Any) -> int:
        step = as_index(value)
        if step < 1:
            _fail(NKI3012, step=step)
        return step

    def slice(self, dim: int, start: int, end: int, step: int = 1) -> NkiTensor:
        """Elements `start` to `end` (exclusive) of dimension `dim`, every `step`-th.

        Unlike in an index, nothing counts from the end.
        """
        dim = self._dim("slice", dim)
        first, last = as_index(start), as_index(end)
        if not 0 <= first < last <= self.shape[dim]:
            _bad_slice(dim, slice(first, last), self.shape[dim], negative=False)
        return self[(slice(None),) * dim + (slice(first, last, step),)]

    def select(self, dim: int, index: Any) -> NkiTensor:
        """Element `index` of dimension `dim`, which is dropped where the memory allows it.

        Unlike in an index, nothing counts from the end. The index may be a register or an integer
        tile of one element in SBUF; then it is read at run time.

        Raises: NKI3010, NKI3014, NKI3025 for an index or dimension that does not exist; NKI3033 for
            a run-time index that cannot be used.
        """
        dim = self._dim("select", dim)
        if is_index(index):
            return self[(slice(None),) * dim + (index,)]
        chosen = as_index(index)
        if chosen < 0:
            _fail(NKI3010, index=chosen, dim=dim, size=self.shape[dim])
        return self[(slice(None),) * dim + (chosen,)]

    def vector_select(self, dim: int, vector_offset: Any) -> NkiTensor:
        """Rows of a tensor in HBM, chosen at run time: row ``vector_offset[p]`` for partition p.

        Args: dim, 0; vector_offset, an integer tile in SBUF with one index per partition.
        Raises: NKI3033 for indices that cannot be used, and for another dimension.
        """
        if self._dim("vector_select", dim) != 0:
            raise unusable("a vector of indices selects along dimension 0")
        shape = getattr(vector_offset, "shape", (1,))
        rows = (shape[0], *self.shape[1:])
        one = window(NkiTensor, self.tensor, self.offset, rows, self.strides, self.dtype)
        base = one if self.index is None else self
        index = index_of(base, vector_offset, self.strides[0], self.shape[0], vector=True)
        return IndirectTensor(self.tensor, self.offset, rows, self.strides, self.dtype, index)

    def indirect(self, index: Any, num_elem: int | None = None) -> NkiTensor:
        """Elements of every partition chosen at run time (tensor indirection, trn3).

        Groups of 16 partitions (32 where the tensor engine reads it) share their indices: that of
        element i is in row ``i % 16`` and column ``i // 16`` of the group's part of `index`.

        Args: index, an integer tile in SBUF with as many partitions as this two-dimensional tile;
            num_elem, how many elements to choose (None: as many as 16 partitions of it hold).
        Returns: a view of (partitions, num_elem).
        Raises: NKI3033 for indices that cannot be used.
        Source: NKI language reference, indirect. Model: each group reads rows of its own.
        """
        source = getattr(index, "shape", (1, 1))
        room = min(16, source[0]) * prod(source[1:])
        count = room if num_elem is None else as_index(num_elem)
        if count < 1 or len(self.shape) != 2:
            raise unusable(f"a view of {list(self.shape)} cannot give {count} elements")
        shape, strides = (self.shape[0], count), self.strides
        one = window(NkiTensor, self.tensor, self.offset, shape, strides, self.dtype)
        base = one if self.index is None else self
        found = index_of(base, index, strides[1], self.shape[1], snake=True)
        return IndirectTensor(self.tensor, self.offset, shape, strides, self.dtype, found)

    def _with_index(self, made: NkiTensor, index: Index) -> NkiTensor:
        return IndirectTensor(made.tensor, made.offset, made.shape, made.strides, made.dtype, index)

    # ---- the value itself --------------------------------------------------------------------

    def __setitem__(self, key: Any, value: object) -> None:
        """Store the tile `value`, as kernels of 0.3 do; what it means is in `sema.memory`."""
        if not isinstance(value, NkiTensor) or NkiTensor.store_item is None:
            _fail(NKI1031, name=self.tensor.name)
        NkiTensor.store_item(self[key], value)

    def settled(self) -> NkiTensor:
        """The operand that an instruction gets of it."""
        return self

    def __deepcopy__(self, memo: object) -> NkiTensor:
        """Itself: a copy of an object that holds tensors holds the same tensors."""
        return self

    def __len__(self) -> int:
        return self.shape[0]

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        ctx = nki_ctx_or_none()
        text = f"<{describe(self)}>"
        values = ctx.peek(self) if ctx is not None else None
        return text if values is None else f"{text}\n{values}"


class IndirectTensor(NkiTensor):
    """A tensor whose place depends on a run-time index (`is_indirect`)."""

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
        parts = (tensor, offset, shape, strides, dtype, index)
        for name, part in zip((*_FIELDS, "index"), parts, strict=True):
            object.__setattr__(self, name, part)

    def __reduce__(self) -> tuple[Any, ...]:
        return IndirectTensor, (*(getattr(self, name) for name in _FIELDS), self.index)

    def _new(
        self,
        tensor: Any,
        offset: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
    ) -> IndirectTensor:
        """A window with the same run-time index, which counts in elements of the new dtype."""
        index = self.index
        assert index is not None
        first = (self.shape[0], self.strides[0] * self.dtype.itemsize)
        if index.vector and (shape[0], strides[0] * dtype.itemsize) != first:
            raise unusable("what a vector of indices selects cannot be regrouped")
        if dtype is not self.dtype:
            stride = index.stride * self.dtype.itemsize
            if stride % dtype.itemsize:
                raise unusable(f"{stride} bytes per index are no whole number of {dtype}")
            index = replace(index, stride=stride // dtype.itemsize)
        return IndirectTensor(tensor, offset, shape, strides, dtype, index)

    placing = IndirectView.placing


class StrayTensor(NkiTensor):
    """A window that leaves its storage: it may be made, but no instruction takes it (NKI3029)."""

    __slots__ = ()

    placing = "stray"

    def __getitem__(self, key: Any) -> NkiTensor:
        return self._judged(super().__getitem__(key))

    def _new(
        self,
        tensor: Any,
        offset: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
    ) -> Any:
        return self._judged(window(NkiTensor, tensor, offset, shape, strides, dtype))


def _selects(part: slice, size: int) -> bool:
    """Whether a slice selects something of a dimension of `size`, and nothing beyond it."""
    start, stop = _bounds(part, size)
    start, stop = (n + size if n < 0 else n for n in (start, stop))
    return 0 <= start < stop <= size


def _bounds(part: slice, size: int) -> tuple[int, int]:
    """Bounds of a slice as they are written."""
    start = 0 if part.start is None else as_index(part.start)
    return start, size if part.stop is None else as_index(part.stop)


def _bad_slice(dim: int, part: slice, size: int, *, negative: bool = True) -> NoReturn:
    """Refuse a slice of dimension `dim`, of `size`; `negative` if bounds may count from the end."""
    start, stop = _bounds(part, size)
    least = -size if negative else 0
    if least <= start <= size and least <= stop <= size:
        _fail(NKI3015, start=start, stop=stop, dim=dim)
    facts: dict[str, object] = {"start": start, "stop": stop, "dim": dim, "size": size}
    if stop > size and least <= start < size:
        _fail(NKI3011, over=stop, **facts)
    _fail(NKI3011, below=size, back=size if negative else "", **facts)


def covering(tensor: Tensor) -> NkiTensor:
    """The value that covers all of `tensor`."""
    whole = row_major(tensor.shape)
    made: NkiTensor = window(NkiTensor, tensor, 0, tensor.shape, whole, tensor.dtype)
    return made


def restrided(view: View, shape: tuple[int, ...], strides: tuple[int, ...]) -> NkiTensor:
    """The storage of `view` from the same element on, with another shape and other strides."""
    made: NkiTensor = window(NkiTensor, view.tensor, view.offset, shape, strides, view.dtype)
    return made


def _fail(code: Code, **facts: object) -> NoReturn:
    raise fault(code, **facts)
