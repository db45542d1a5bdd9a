"""Tensors, views and numbers of the op table as KLR: what every emitter of operators needs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import prod
from typing import Any, Final, TypeVar

from opennki import klr
from opennki.base import dtypes
from opennki.base.dtypes import DType
from opennki.ir import Index, Role, Space, Tensor, View, compact, row_major
from opennki.isa.enums import Engine

MEMORIES: Final = {
    Space.sbuf: klr.Memory.sbuf, Space.psum: klr.Memory.psum, Space.register: klr.Memory.reg,
    Space.private_hbm: klr.Memory.private_hbm, Space.shared_hbm: klr.Memory.shared_hbm,
}  # fmt: skip

_SPELLED: Final[Mapping[DType, klr.Dtype]] = {
    dtypes.tfloat32: klr.Dtype.float32r, dtypes.float8_e5m2: klr.Dtype.float8e5,
}  # fmt: skip

DTYPES: Final[Mapping[DType, klr.Dtype]] = {
    d: _SPELLED.get(d) or klr.Dtype[str(d)] for d in dtypes.ALL
}
"""Dtype -> its name in KLR, which is its own but for two."""

ENGINES: Final[Mapping[Engine, klr.Engine]] = {
    Engine.UNASSIGNED: klr.Engine.unassigned, Engine.ACT: klr.Engine.act,
    Engine.DMA: klr.Engine.dma, Engine.DVE: klr.Engine.dve, Engine.PE: klr.Engine.pe,
    Engine.POOL: klr.Engine.pool, Engine.SP: klr.Engine.sp,
}  # fmt: skip

MOST_PAIRS: Final = 5
"""Pairs that an access has at most. Source: NKI language guide, access patterns."""

E = TypeVar("E", bound=klr.KlrEnum)


def named(kind: type[E], member: Enum) -> E:
    """The member of a KLR enumeration that is spelled as `member` is."""
    return kind[member.name]


class Places:
    """Tensors and views of one kernel as KLR; those of equal tensors share one node.

    Attributes: core, whose body the kernel is; tensors, by name in order of first use; constants,
    contents by name.
    """

    def __init__(self, core: int = 0) -> None:
        self.core = core
        self.tensors: dict[str, klr.TensorName] = {}
        self.constants: dict[str, Any] = {}
        self._views: dict[tuple[object, ...], klr.TensorRef] = {}

    def tensor(self, tensor: Tensor) -> klr.TensorName:
        """The KLR tensor of a tensor; the contents of a constant are kept in `constants`."""
        made = self.tensors.get(tensor.name)
        if made is None:
            made = self.tensors[tensor.name] = tensor_name(tensor)
            if tensor.role is Role.const:
                self.constants[tensor.name] = tensor.data
        return made

    def view(self, view: View) -> klr.TensorRef:
        """The operand that a view is: an access in BIR's form."""
        if view.index is not None:
            return self._indirect(view, view.index)
        key = (view.tensor.name, view.offset, view.shape, view.strides, view.dtype)
        made = self._views.get(key)
        if made is None:
            made = self._views[key] = klr.Abstract(klr.BirPattern(self._pattern(view)))
        return made

    def views(self, views: Any) -> list[klr.TensorRef]:
        """The operands of a list of views."""
        return [self.view(view) for view in views]

    def optional(self, view: View | None) -> klr.TensorRef | None:
        """The operand, or None where there is no view."""
        return None if view is None else self.view(view)

    def operand(self, value: View | float | None) -> klr.Operand:
        """A view, or a number as an immediate; None is an immediate pointer.

        Model: KLR requires some operands that unary operators have not; nothing else is a pointer.
        """
        if isinstance(value, View):
            return klr.Tile(self.view(value))
        return klr.Imm(klr.PointerImm() if value is None else immediate(value))

    def optional_operand(self, value: View | float | None) -> klr.Operand | None:
        """As `operand`; None where there is no value."""
        return None if value is None else self.operand(value)

    def register(self, view: View) -> str:
        """The name of the register that a view is."""
        return view.tensor.name

    def _pattern(self, view: View) -> klr.BirAccessPattern:
        tensor = self.tensor(view.tensor)
        dims = compact(view, MOST_PAIRS)
        index = view.index
        if index is not None and index.vector and len(dims) != len(view.dims):
            rows = View(view.tensor, 0, view.shape[1:], view.strides[1:], view.dtype)
            dims = (view.dims[0], *compact(rows, MOST_PAIRS - 1))
        pairs = [klr.APPair(step, num, 0) for step, num in dims]
        override = None if view.dtype is view.tensor.dtype else DTYPES[view.dtype]
        return klr.BirAccessPattern(tensor, view.const_offset, pairs, dtypeOverride=override)

    def _indirect(self, view: View, index: Index) -> klr.TensorRef:
        """A view with a run-time index; what is not as KLR takes it to be is said."""
        made = self._pattern(view)
        source = index.source
        if index.vector or index.snake:
            made.vectorOffset = klr.BirPattern(self._pattern(source))
            made.snake = index.snake
        elif source.tensor.space is Space.register:
            made.scalarOffset = klr.RegOffset(self.register(source))
        else:
            made.scalarOffset = klr.AccOffset(klr.BirPattern(self._pattern(source)))
        shape = _as_dtype(view)
        strides = row_major(shape)
        dim = 0
        if not index.vector:
            dim = next((k for k, s in enumerate(strides) if s == index.stride), 0)
        made.indirectDim = dim
        if strides[dim] != index.stride:
            made.indexStride = index.stride
        if shape[dim] != index.limit:
            made.indexLimit = index.limit
        return klr.Abstract(klr.BirPattern(made))


def immediate(value: float) -> klr.Immediate:
    """A number: integers that 32 bits hold stay integers, anything else is a float32."""
    if not isinstance(value, int) or not -(2**31) <= value < 2**32:
        return klr.FloatImm(float(value))
    return klr.IntImm(int(value)) if value < 2**31 else klr.NatImm(int(value))


def _as_dtype(view: View) -> tuple[int, ...]:
    """Sizes of a view's tensor when its bytes are read as the view's dtype."""
    tensor = view.tensor
    if tensor.dtype.itemsize == view.dtype.itemsize or len(tensor.shape) < 2:
        return tensor.shape
    last = tensor.shape[-1] * tensor.dtype.itemsize // view.dtype.itemsize
    return (*tensor.shape[:-1], last)


def tensor_name(tensor: Tensor) -> klr.TensorName:
    """The KLR tensor of a tensor, placed if the author placed it."""
    shape = klr.Shape(tensor.shape[0], list(tensor.shape[1:]))
    placed = tensor.address is not None or tensor.start_partition != 0
    free = prod(tensor.shape[1:])
    address = klr.Address(
        tensor.name, MEMORIES[tensor.space], tensor.shape[0], free * tensor.dtype.itemsize,
        parOffset=tensor.start_partition if placed else None, freeOffset=tensor.address,
        isShared=tensor.space is Space.shared_hbm,
    )  # fmt: skip
    made = klr.TensorName(tensor.name, DTYPES[tensor.dtype], shape, address, free)
    made.loc = tensor.loc
    return made
