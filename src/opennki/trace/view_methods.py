"""View methods of `NkiTensor`: new windows onto the same storage, by shape and by layout."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NoReturn

from typing_extensions import Self

from opennki.base.codes import (
    NKI1007,
    NKI3004,
    NKI3014,
    NKI3020,
    NKI3021,
    NKI3022,
    NKI3023,
    NKI3024,
    NKI3025,
    NKI3026,
    NKI3028,
    NKI3033,
)
from opennki.base.diag import Code, NkiError
from opennki.base.dtypes import DType, tensor_dtype
from opennki.ir import Index, View, describe, row_major
from opennki.penguin import malformed

from .fault import fault
from .indirect import index_of
from .plain import plain_int
from .rearrange import rearranged
from .strides import infer, merge, restride

Shape = tuple[int, ...]


class ViewMethods(View):
    """Views of a view. None moves data; each raises where the layout does not allow it."""

    __slots__ = ()

    # ---- shape -------------------------------------------------------------------------------

    def permute(self, dims: Sequence[int]) -> Self:
        """Dimensions in the order `dims`; the partition dimension stays first."""
        order = self._indices(dims)
        if order is None or sorted(order) != list(range(len(self.shape))):
            _fail(NKI3023, dims=dims, ndim=len(self.shape))
        dims = order
        if dims[0] != 0:
            self._keep_partitions("permute")
        return self._made(tuple(self.shape[d] for d in dims), tuple(self.strides[d] for d in dims))

    def broadcast(self, dim: int, size: int) -> Self:
        """Dimension `dim`, of size 1, repeated `size` times."""
        dim = self._dim("broadcast", dim)
        if dim == 0:
            self._keep_partitions("broadcast")
        if self.shape[dim] != 1:
            _fail(NKI3024, dim=dim, size=self.shape[dim])
        shape, strides = list(self.shape), list(self.strides)
        shape[dim], strides[dim] = self._positive("broadcast", "size", size), 0
        return self._made(tuple(shape), tuple(strides))

    def expand_dim(self, dim: int) -> Self:
        """A new dimension of size 1 at position `dim`."""
        dim = self._dim("expand_dim", dim, len(self.shape) + 1)
        if dim == 0:
            self._keep_partitions("expand_dim")
        inner = self.strides[dim] * self.shape[dim] if dim < len(self.shape) else 1
        return self._made(
            (*self.shape[:dim], 1, *self.shape[dim:]),
            (*self.strides[:dim], inner, *self.strides[dim:]),
        )

    def squeeze_dim(self, dim: int) -> Self:
        """Without dimension `dim`, which must have size 1."""
        dim = self._dim("squeeze_dim", dim)
        if dim == 0:
            self._keep_partitions("squeeze_dim")
        if self.shape[dim] != 1:
            _fail(NKI3024, dim=dim, size=self.shape[dim])
        if len(self.shape) <= (2 if self.tensor.space.on_chip else 1):
            least = "two dimensions" if self.tensor.space.on_chip else "one dimension"
            why = f"a tensor in {self.tensor.space} has at least {least}"
            _fail(NKI3022, method="squeeze_dim", why=why)
        return self._made(
            self.shape[:dim] + self.shape[dim + 1 :], self.strides[:dim] + self.strides[dim + 1 :]
        )

    def reshape_dim(self, dim: int, shape: Sequence[int]) -> Self:
        """Dimension `dim` split into `shape`; one entry may be -1."""
        dim = self._dim("reshape_dim", dim)
        given = self._indices(shape)
        if given is None:
            _fail(NKI3020, got=shape, want=self.shape[dim])
        sizes = infer(given, self.shape[dim])
        if dim == 0 and len(sizes) > 1:
            self._keep_partitions("reshape_dim")
        steps = tuple(s * self.strides[dim] for s in row_major(sizes))
        return self._made(
            self.shape[:dim] + sizes + self.shape[dim + 1 :],
            self.strides[:dim] + steps + self.strides[dim + 1 :],
        )

    def flatten_dims(self, start_dim: int, end_dim: int) -> Self:
        """Dimensions `start_dim` to `end_dim` (inclusive) merged into one."""
        start = self._dim("flatten_dims", start_dim, name="start_dim")
        end = self._dim("flatten_dims", end_dim, name="end_dim")
        if start > end:
            expected = f"start_dim ({start_dim}) or more"
            _fail(NKI1007, name="end_dim", fn="flatten_dims", expected=expected, got=end_dim)
        if start == 0:
            self._keep_partitions("flatten_dims")
        merged = merge(self.shape[start : end + 1], self.strides[start : end + 1])
        if merged is None:
            self._not_contiguous("flatten_dims")
        size, step = merged
        return self._made(
            (*self.shape[:start], size, *self.shape[end + 1 :]),
            (*self.strides[:start], step, *self.strides[end + 1 :]),
        )

    def reshape(self, shape: Any, *more: int) -> Self:
        """The same elements in row-major order under another shape; one entry may be -1.

        Raises: NKI3020 if the number of elements changes, NKI3021 if the partition dimension
        would, NKI3022 if the layout cannot be walked that way without moving data.
        """
        shape = shape if isinstance(shape, list | tuple) and not more else (shape, *more)
        sizes = infer(
            tuple(self._integer("reshape", "shape", s) for s in shape), prod(self.shape)
        )  # fmt: skip
        if self.tensor.space.on_chip:
            if not sizes or sizes[0] != self.shape[0] or len(sizes) < 2:
                self._keep_partitions("reshape")
            free = restride(self.shape[1:], self.strides[1:], sizes[1:])
            strides = None if free is None else (self.strides[0], *free)
        else:
            strides = restride(self.shape, self.strides, sizes)
        if strides is None:
            self._not_contiguous("reshape")
        return self._made(sizes, strides)

    def rearrange(
        self, src_pattern: Any, dst_pattern: Any, fixed_sizes: dict[str, int] | None = None
    ) -> Self:
        """Split, reorder and merge dimensions by name: ``('b', ('h', 'w'))`` to ``('b','w','h')``.

        Args: patterns, tuples of names or of tuples of names; fixed_sizes, sizes of names that do
            not follow from the shape. Raises: NKI3027 for patterns that do not fit.
        """
        return rearranged(self, src_pattern, dst_pattern, fixed_sizes or {})

    # ---- layout ------------------------------------------------------------------------------

    def view(self, dtype: Any) -> Self:
        """The same bytes read as another dtype; the last dimension scales with the size ratio.

        Raises: NKI3022 if the last dimension is not contiguous, NKI3026 if it does not divide,
            NKI3033 for a view with a run-time index.
        """
        target = self._known(dtype)
        if self.index is not None:
            _fail(NKI3033, why="a view that has one cannot change its dtype; call view() before")
        old, new = self.dtype.itemsize, target.itemsize
        offset: Any = self.offset
        if old == new:
            return self._new(self.tensor, offset, self.shape, self.strides, target)
        if self.strides[-1] != 1 and self.shape[-1] != 1:
            why = "the last dimension is not contiguous"
            _fail(NKI3022, method="view", why=why, copy="copy")
        if self.shape[-1] * old % new:
            _fail(NKI3026, size=self.shape[-1], ratio=new // old)
        steps = [s for s, n in zip(self.strides[:-1], self.shape, strict=False) if n != 1]
        if any(n * old % new for n in (*steps, offset)):
            why = f"its rows do not all start at a whole {target} of {new} bytes"
            _fail(NKI3022, method="view", why=why, copy="copy")
        strides = tuple(s * old // new for s in self.strides[:-1])
        return self._new(
            self.tensor, offset * old // new, (*self.shape[:-1], self.shape[-1] * old // new),
            (*strides, 1), target,
        )  # fmt: skip

    reinterpret_cast = view

    def ap(
        self,
        pattern: Sequence[Sequence[int]],
        offset: int | None = None,
        scalar_offset: Any = None,
        vector_offset: Any = None,
        indirect_dim: int = 0,
        dtype: Any = None,
    ) -> Self:
        """Explicit access pattern ``[[stride, count], ...]`` over the storage.

        The view's own shape and strides do not matter; its offset is kept, and `offset` elements
        of `dtype` are added to it. On chip the first stride is the elements of a partition.

        Args: scalar_offset, a register or an integer tile of one element in SBUF: an index into
            dimension `indirect_dim` of this view, read at run time and added to the address;
            vector_offset, an integer tile in SBUF with such an index for every element of the
            pattern's first pair, whose own stride then means nothing (dimension 0 of tensors in
            HBM only).

        The pattern may reach outside the storage as long as no instruction uses it: kernels make
        one per trip, and then leave out the instructions of the last trips.

        Raises: NKI3033 for a run-time index that cannot be used; NKI3028 for a malformed pattern.
        """
        target = self.dtype if dtype is None else self._known(dtype)
        try:
            pairs = [
                (self._integer("ap", "pattern", s), self._integer("ap", "pattern", n))
                for s, n in pattern
            ]
        except NkiError:
            raise
        except (TypeError, ValueError):
            _fail(NKI3028, why=f"{pattern!r} is not a list of [stride, count] pairs")
        if not pairs or any(n < 1 for _, n in pairs):
            _fail(NKI3028, why="every count must be at least 1")
        base: Any = self.offset
        if target is not self.dtype:
            start_byte, width = base * self.dtype.itemsize, target.itemsize
            if start_byte % width or self.tensor.row_bytes % width:
                why = f"the view starts at byte {start_byte}, not at a whole {target} of {width}"
                _fail(NKI3028, why=why)
            base = start_byte // width
        start = base + (0 if offset is None else self._integer("ap", "offset", offset))
        made = self._new(
            self.tensor, start, tuple(n for _, n in pairs), tuple(s for s, _ in pairs), target
        )
        if scalar_offset is not None or vector_offset is not None:
            made = self._indexed(made, scalar_offset, vector_offset, indirect_dim)
        elif indirect_dim:
            _fail(NKI3033, why="indirect_dim says where an offset goes, and there is none")
        for found in malformed(made):
            _fail(found.code, **found.facts)
        return self._judged(made)

    def _judged(self, made: Self) -> Self:
        raise NotImplementedError  # the class of what leaves its storage is below this one

    def _indexed(self, made: Self, scalar: Any, vector: Any, indirect_dim: Any) -> Self:
        """`made`, a window onto the same tensor, with a run-time index into a dimension of self."""
        if scalar is not None and vector is not None:
            _fail(NKI3033, why="scalar_offset and vector_offset exclude each other")
        dim = self._dim("ap", indirect_dim)
        if vector is not None and dim != 0:
            _fail(NKI3033, why="a vector of indices selects along dimension 0")
        stride = self.strides[dim] * self.dtype.itemsize
        if stride % made.dtype.itemsize:
            _fail(NKI3033, why=f"{stride} bytes per index are no whole number of {made.dtype}")
        source = scalar if vector is None else vector
        index = index_of(
            made, source, stride // made.dtype.itemsize, self.shape[dim], vector=vector is not None
        )
        return self._with_index(made, index)

    def _with_index(self, made: Self, index: Index) -> Self:
        raise NotImplementedError  # the class of tensors with an index is below this one

    def get_pattern(self) -> list[list[int]]:
        """Access pattern ``[[stride, count], ...]`` of this view, outermost first."""
        return [[s, n] for s, n in self.dims]

    def is_contiguous(self) -> bool:
        """Whether the view is a dense row-major block (on chip: inside every partition)."""
        first = 1 if self.tensor.space.on_chip else 0
        want = 1
        for size, step in reversed(tuple(zip(self.shape, self.strides, strict=True))[first:]):
            if size != 1 and step != want:
                return False
            want *= size
        return True

    def is_indirect(self) -> bool:
        """Whether addresses depend on a run-time index."""
        return self.index is not None

    # ---- helpers -----------------------------------------------------------------------------

    def _made(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> Self:
        return self._new(self.tensor, self.offset, shape, strides, self.dtype)

    def _dim(self, method: str, dim: Any, ndim: int | None = None, name: str = "dim") -> int:
        count = len(self.shape) if ndim is None else ndim
        index = self._integer(method, name, dim)
        if not -count <= index < count:
            _fail(NKI3025, method=method, dim=index, ndim=count)
        return index % count

    def _positive(self, method: str, name: str, value: Any) -> int:
        size = self._integer(method, name, value)
        if size < 1:
            _fail(NKI1007, name=name, fn=method, expected="a positive integer", got=size)
        return size

    def _not_contiguous(self, method: str) -> NoReturn:
        why = f"dimensions do not follow each other without gaps; strides are {self.strides}"
        _fail(NKI3022, method=method, why=why, copy="copy")

    def _keep_partitions(self, method: str) -> None:
        if self.tensor.space.on_chip:
            _fail(NKI3021, method=method)

    def _indices(self, values: Any) -> tuple[int, ...] | None:
        """A list or tuple of integers as a tuple; None for anything else."""
        if not isinstance(values, list | tuple | range):
            return None
        found = tuple(map(plain_int, values))
        return None if None in found else found  # type: ignore[return-value]  # none is None

    def _known(self, dtype: Any) -> DType:
        try:
            return tensor_dtype(dtype)
        except KeyError:
            _fail(NKI3004, got=f"{dtype!r:.60}")

    def _integer(self, method: str, name: str, value: Any) -> int:
        """The argument `name` of `method` as a Python integer. Raises: NKI1007."""
        found = plain_int(value)
        if found is None:
            _fail(NKI1007, name=name, fn=method, expected="an integer", got=_kind(value))
        return found

    def _new(self, tensor: Any, offset: Any, shape: Shape, strides: Shape, dtype: DType) -> Self:
        raise NotImplementedError


def as_index(value: Any) -> int:
    """`value` as a Python integer; raises NKI3014 for anything that is none."""
    found = plain_int(value)
    if found is None:
        _fail(NKI3014, got=_kind(value))
    return found


def _fail(code: Code, **facts: object) -> NoReturn:
    raise fault(code, **facts)


def _kind(value: object) -> str:
    return f"{type(value).__name__} {value!r}" if not isinstance(value, View) else describe(value)
