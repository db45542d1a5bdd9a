"""`NkiTensor`: the tensor value that kernels hold. It *is* a `View`, with the methods NKI gives it.

Every method returns a new window onto the same storage; none moves data. Operators that would
compute on device data are refused here with a hint.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from opennki.base.codes import (
    NKI1002,
    NKI1003,
    NKI1029,
    NKI1031,
    NKI1061,
    NKI3010,
    NKI3011,
    NKI3012,
    NKI3013,
    NKI3015,
    NKI3016,
    NKI3031,
)  # fmt: skip
from opennki.base.diag import Code, NkiError, problem
from opennki.ir import Space, View, describe

from .fault import fault
from .nki_ctx import nki_ctx_or_none
from .plain import plain_number
from .view_methods import ViewMethods, as_index

_new = object.__new__


class DynamicSlice:
    """``nl.ds(start, size)``: `size` elements from `start`."""

    __slots__ = ("size", "start")

    def __init__(self, start: int, size: int) -> None:
        self.start = start
        self.size = size

    def __repr__(self) -> str:
        return f"nl.ds({self.start}, {self.size})"


_LATER = ("indirect", "vector_select")


class MissingAttribute(NkiError, AttributeError):
    """The diagnostic for an attribute that tensors do not have; an AttributeError too."""


class NkiTensor(ViewMethods):
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
                    self._bad_slice(len(new_shape), start, stop, size)
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
        made: NkiTensor = _new(NkiTensor)
        made.tensor = self.tensor
        made.offset = offset
        made.shape = tuple(new_shape)
        made.strides = tuple(new_strides)
        made.dtype = self.dtype
        return made

    def _general(self, key: tuple[Any, ...]) -> NkiTensor:
        """`__getitem__` for a full key with something other than slices in it."""
        offset: Any = self.offset
        shape: list[int] = []
        strides: list[int] = []
        for dim, k in enumerate(key):
            size, step = self.shape[dim], self.strides[dim]
            if k.__class__ is slice or k is Ellipsis or k.__class__ is DynamicSlice:
                part = slice(None) if k is Ellipsis else k
                if part.__class__ is DynamicSlice:
                    start = as_index(part.start)
                    part = slice(start, start + as_index(part.size))
                    if start < 0 or part.stop > size:
                        self._bad_slice(dim, start, part.stop, size)
                window = NkiTensor(self.tensor, 0, (size,), (step,), self.dtype)[part]
                offset += window.offset
                shape += window.shape
                strides += window.strides
            else:
                index = k if k.__class__ is int else as_index(k)
                if index < 0:
                    index += size
                if not 0 <= index < size:
                    _fail(NKI3010, index=k, dim=dim, size=size)
                offset += index * step
                if self._keeps(dim, key, shape):
                    shape.append(1)
                    strides.append(step)
        return NkiTensor(self.tensor, offset, tuple(shape), tuple(strides), self.dtype)

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

    def _bad_slice(self, dim: int, start: int, stop: int, size: int) -> NoReturn:
        if 0 <= start <= size and 0 <= stop <= size:
            _fail(NKI3015, start=start, stop=stop, dim=dim)
        _fail(NKI3011, start=start, stop=stop, dim=dim, size=size)

    def slice(self, dim: int, start: int, end: int, step: int = 1) -> NkiTensor:
        """Elements `start` to `end` (exclusive) of dimension `dim`, every `step`-th.

        Unlike in an index, nothing counts from the end.
        """
        dim = self._dim("slice", dim)
        first, last = as_index(start), as_index(end)
        if first < 0 or last < 0:
            self._bad_slice(dim, first, last, self.shape[dim])
        return self[(slice(None),) * dim + (slice(first, last, step),)]

    def select(self, dim: int, index: int) -> NkiTensor:
        """Element `index` of dimension `dim`, which is dropped where the memory allows it.

        Unlike in an index, nothing counts from the end.
        """
        dim = self._dim("select", dim)
        chosen = as_index(index)
        if chosen < 0:
            _fail(NKI3010, index=chosen, dim=dim, size=self.shape[dim])
        return self[(slice(None),) * dim + (chosen,)]

    # ---- what is refused ---------------------------------------------------------------------

    def __setitem__(self, key: Any, value: object) -> None:
        """Store the tile `value`, as kernels of 0.3 do; what it means is in `sema.memory`."""
        if not isinstance(value, NkiTensor) or NkiTensor.store_item is None:
            _fail(NKI1031, name=self.tensor.name)
        NkiTensor.store_item(self[key], value)

    def __bool__(self) -> bool:
        """True for a tensor in HBM: an argument that may be None. Raises: NKI1002 for a tile."""
        ctx = nki_ctx_or_none()
        if ctx is not None and self.tensor.space.is_hbm:
            ctx.report(problem(NKI1061, name=self.tensor.name), ctx.loc())
            return True
        _needed("a condition (`if`, `while`, `and`, `or`, `not`, bool())", self)

    def __iter__(self) -> NoReturn:
        _needed("iteration", self, size=self.shape[0])

    __reversed__ = __iter__

    def __delitem__(self, key: Any) -> NoReturn:
        _fail(NKI1031, name=self.tensor.name)

    def __format__(self, spec: str) -> str:
        """As text; number formats are refused, because there are no numbers yet."""
        try:
            return format(repr(self), spec)
        except ValueError:
            _needed("formatting as a number", self)

    def __deepcopy__(self, memo: object) -> NkiTensor:
        """Itself: a copy of an object that holds tensors holds the same tensors."""
        return self

    def __len__(self) -> int:
        return self.shape[0]

    def __index__(self) -> NoReturn:
        _needed("conversion to an integer", self)

    def __float__(self) -> NoReturn:
        _needed("conversion to a float", self)

    def __complex__(self) -> NoReturn:
        _needed("conversion to a complex number", self)

    def __round__(self, *digits: object) -> NoReturn:
        _needed("rounding", self)

    __int__ = __trunc__ = __index__
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> NoReturn:
        """What to say of a method that tensors do not have (yet)."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _LATER:
            facts = {"module": "a tensor", "why": ", which is not available in opennki yet"}
            found = fault(NKI1029, name=name, close="", **facts)
        else:
            known = [n for n in dir(type(self)) if not n.startswith("_")]
            close = difflib.get_close_matches(name, known, 1)
            found = fault(NKI3031, name=name, close=close[0] if close else "")
        raise MissingAttribute(found.diagnostics)

    def __repr__(self) -> str:
        ctx = nki_ctx_or_none()
        text = f"<{describe(self)}>"
        values = ctx.peek(self) if ctx is not None else None
        return text if values is None else f"{text}\n{values}"


def _operator(name: str, function: str, of: str = "a, b", *, swapped: bool = False) -> Any:
    """A method that refuses the operator `name` and says which `function` computes the same.

    Args: of, arguments that it takes; swapped, whether the tensor is the right operand.
    """

    def refuse(self: NkiTensor, *others: object) -> Any:
        if name in ("==", "!=") and not isinstance(others[0], View | int | float):
            return NotImplemented
        if name == "==" and others[0] is self:
            return True
        number = bool(others) and plain_number(others[0]) is not None
        instruction = _INSTRUCTIONS.get(name, "")
        if not instruction and others:
            instruction = f"nisa.tensor_tensor with op={function}"
            if number:
                instruction = f"nisa.tensor_scalar with op0={function}"
                instruction += " and reverse0=True" if swapped else ""
        comparison = "a comparison" if name in _COMPARISONS else ""
        called = f"{function}({of})"
        _fail(
            NKI1003, op=name, function=called, instruction=instruction, comparison=comparison,
        )  # fmt: skip

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_INSTRUCTIONS = {
    "@": "nisa.nc_matmul", "//": "nisa.tensor_tensor with op=nl.divide", "in": "nisa.tensor_scalar",
}  # fmt: skip
"""Instructions of operators that no single ALU operator computes."""

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "in"})

for _method, _op, _use in (
    ("add", "+", "nl.add"), ("sub", "-", "nl.subtract"), ("mul", "*", "nl.multiply"),
    ("truediv", "/", "nl.divide"), ("matmul", "@", "nl.matmul"), ("mod", "%", "nl.mod"),
    ("pow", "**", "nl.power"), ("and", "&", "nl.bitwise_and"), ("or", "|", "nl.bitwise_or"),
    ("xor", "^", "nl.bitwise_xor"), ("lshift", "<<", "nl.left_shift"),
    ("rshift", ">>", "nl.right_shift"),
):  # fmt: skip
    for _prefix in ("", "r", "i"):
        _refusing = _operator(_op, _use, swapped=_prefix == "r")
        setattr(NkiTensor, f"__{_prefix}{_method}__", _refusing)
for _prefix in ("", "r", "i"):
    _refusing = _operator("//", "nl.floor", "nl.divide(a, b)")
    setattr(NkiTensor, f"__{_prefix}floordiv__", _refusing)
for _method, _op, _use, _of in (
    ("neg", "-", "nl.negative", "x"), ("abs", "abs()", "nl.abs", "x"),
    ("invert", "~", "nl.invert", "x"), ("lt", "<", "nl.less", "a, b"),
    ("le", "<=", "nl.less_equal", "a, b"), ("gt", ">", "nl.greater", "a, b"),
    ("ge", ">=", "nl.greater_equal", "a, b"), ("eq", "==", "nl.equal", "a, b"),
    ("ne", "!=", "nl.not_equal", "a, b"), ("contains", "in", "nl.equal", "a, b"),
):  # fmt: skip
    setattr(NkiTensor, f"__{_method}__", _operator(_op, _use, _of))


def _needed(what: str, tensor: NkiTensor, **facts: object) -> NoReturn:
    """Refuse a use of Python that needs the elements of `tensor`."""
    _fail(NKI1002, what=what, tensor=describe(tensor), **facts)


def _fail(code: Code, **facts: object) -> NoReturn:
    raise fault(code, **facts)
