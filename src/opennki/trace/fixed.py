"""How tensors come into being, and that they stay what they are: `window`, and what may not be set.

A window is made field by field, which is fast, and becomes an `NkiTensor` at the end, which refuses
to be changed.
"""

from __future__ import annotations

from typing import Any, NoReturn

from typing_extensions import Self

from opennki.base.codes import NKI1007, NKI1063, NKI3004
from opennki.base.dtypes import DType, tensor_dtype
from opennki.ir import Space, Tensor, row_major

from .fault import fault
from .plain import plain_int, shown
from .refusals import Refusals
from .view_methods import ViewMethods

_new = object.__new__


class FixedView(Refusals):
    """A view whose fields cannot be assigned once it is made."""

    __slots__ = ()

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: Any,
        storage: Any,
        buffer: Space = Space.sbuf,
        name: str = "",
    ) -> None:
        """A tensor bound to storage that exists already. Kernels call `nl.ndarray` instead.

        Args: shape; dtype; storage, the `tensor` of another tensor, which has that shape, dtype
            and buffer, or None for a placeholder, which no instruction takes; buffer; name, of a
            placeholder.
        Raises: NKI1007 for an argument of the wrong kind, NKI3004 for an unknown dtype.
        """
        sizes = tuple(map(plain_int, shape)) if isinstance(shape, tuple | list) else ()
        if not sizes or any(n is None or n < 1 for n in sizes):
            _refuse("shape", "a tuple of positive integers", shape)
        try:
            kind = tensor_dtype(dtype)
        except KeyError:
            raise fault(NKI3004, got=f"{dtype!r:.60}") from None
        if not isinstance(buffer, Space):
            _refuse("buffer", "a memory such as nl.sbuf", buffer)
        if storage is None:
            storage = Tensor(name, sizes, kind, buffer)  # type: ignore[arg-type]  # none is None
            storage.retire()
        elif not isinstance(storage, Tensor):
            _refuse("storage", "the storage of a tensor, or None", storage)
        elif (storage.shape, storage.dtype, storage.space) != (sizes, kind, buffer):
            _refuse("storage", f"{kind}[{', '.join(map(str, sizes))}] in {buffer}", str(storage))
        for field, value in zip(
            ("tensor", "offset", "shape", "strides", "dtype"),
            (storage, 0, storage.shape, row_major(storage.shape), kind),
            strict=True,
        ):
            object.__setattr__(self, field, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise fault(NKI1063, name=name, instead=_INSTEAD.get(name, ""))

    def __delattr__(self, name: str) -> NoReturn:
        raise fault(NKI1063, name=name, instead="")

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.tensor, self.offset, self.shape, self.strides, self.dtype)
        return window, (type(self), *fields)

    def _new(
        self,
        tensor: Tensor,
        offset: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
    ) -> Self:
        made: Self = window(type(self), tensor, offset, shape, strides, dtype)
        return made


_INSTEAD = {
    "shape": "t.reshape(shape)", "dtype": "t.view(dtype)", "strides": "t.ap(pattern)",
    "offset": "t.ap(pattern, offset)", "name": "nl.ndarray(..., name=name)",
    "buffer": "nl.ndarray(..., buffer=buffer)",
}  # fmt: skip
"""Attribute -> what gives a tensor with another one."""


def window(
    cls: Any,
    tensor: Tensor,
    offset: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: DType,
) -> Any:
    """A window of class `cls`, an `NkiTensor`, onto `tensor`."""
    made: Any = _new(ViewMethods)
    made.tensor = tensor
    made.offset = offset
    made.shape = shape
    made.strides = strides
    made.dtype = dtype
    made.__class__ = cls
    return made


def _refuse(name: str, expected: str, got: object) -> NoReturn:
    text = got if isinstance(got, str) else shown(got)
    raise fault(NKI1007, name=name, fn="nl.NkiTensor", expected=expected, got=text)
