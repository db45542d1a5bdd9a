"""Tensors as memory locations, views as access patterns."""

from __future__ import annotations

from typing import Final

from opennki.birpy import AccessPattern, DynamicIndex, MemoryLocation, MemoryType, TensorKind
from opennki.ir import Role, Space, Tensor, View, compact

TYPES: Final = {
    Space.sbuf: MemoryType.SB, Space.psum: MemoryType.PSUM, Space.private_hbm: MemoryType.DRAM,
    Space.shared_hbm: MemoryType.DRAM, Space.register: MemoryType.REG,
}  # fmt: skip
KINDS: Final = {
    Role.input: TensorKind.ExternalInput, Role.output: TensorKind.ExternalOutput,
    Role.const: TensorKind.Const, Role.internal: TensorKind.Internal,
}  # fmt: skip


def location(tensor: Tensor) -> MemoryLocation:
    """The memory location of a tensor; placed if the author placed it."""
    return MemoryLocation(
        tensor.name, TYPES[tensor.space], KINDS[tensor.role], tensor.dtype, tensor.shape,
        address=tensor.address, partition=tensor.start_partition,
        user_allocated=tensor.address is not None, shared=tensor.space is Space.shared_hbm,
        data=tensor.data, loc=tensor.loc,
    )  # fmt: skip


class Locations:
    """Memory locations of one function, and the access patterns onto them."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.memlocs: dict[str, MemoryLocation] = {n: location(t) for n, t in tensors.items()}
        self._dims: dict[object, tuple[tuple[int, int], ...]] = {}

    def add(self, memloc: MemoryLocation) -> MemoryLocation:
        """Register a location that no tensor stands for."""
        self.memlocs[memloc.name] = memloc
        return memloc

    def of_view(self, view: View) -> AccessPattern:
        """The access pattern of a view; patterns of equal shape and strides share their pairs.

        No rule counts dimensions of size 1, but BIR does: where there are too many pairs, they go.
        """
        key = (view.strides, view.shape, view.tensor.space.on_chip)
        dims = self._dims.get(key)
        if dims is None:
            dims = self._dims[key] = compact(view, MOST_PAIRS)
        memloc = self.memlocs[view.tensor.name]
        index = view.index
        if index is None:
            return AccessPattern(memloc, view.offset, dims, view.dtype)
        if index.vector and len(dims) != len(view.dims):
            dims = self._by_rows(view)
        source = self.of_view(index.source)
        found = DynamicIndex(source, index.stride, index.limit, index.vector, index.snake)
        return AccessPattern(memloc, view.offset, dims, view.dtype, found)

    @staticmethod
    def _by_rows(view: View) -> tuple[tuple[int, int], ...]:
        """Pairs of a gather: its first dimension stays apart, because indices walk it."""
        rows = View(view.tensor, 0, view.shape[1:], view.strides[1:], view.dtype)
        return (view.dims[0], *compact(rows, MOST_PAIRS - 1))


MOST_PAIRS: Final = 5
