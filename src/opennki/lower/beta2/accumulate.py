"""Whether a matrix product adds to PSUM, where the kernel leaves that to the compiler.

The rule is the builder's (`builder.emit.matmul`), applied to BIR: KLR does not hold its verdict.
"""

from __future__ import annotations

from typing import Final

from opennki.base.loc import UNKNOWN
from opennki.birpy import AccessPattern, DynamicLoop, Function, Instruction, MemoryLocation, While
from opennki.birpy.module import Item
from opennki.builder.emit.matmul import PsumWrites
from opennki.ir import IndirectView, Space, Tensor, View

DERIVED: Final = "opennki_derived"
"""Mark of a product whose kernel says nothing; removed here."""

UNNOTED: Final = "opennki_unnoted"
"""Mark of a transpose, which does not count as having written; removed here."""


def has_derived(function: Function) -> bool:
    """Whether a product of a function of blocks is left to the compiler, or counts as no write."""
    insts = [i for b in function.blocks for i in b.instructions if isinstance(i, Instruction)]
    return any(mark in inst.attrs for inst in insts for mark in (DERIVED, UNNOTED))


def settle_accumulation(function: Function) -> None:
    """Set the choice of every product that has none."""
    _Settling().items([i for block in function.blocks for i in block.instructions], PsumWrites())


class _Settling:
    def __init__(self) -> None:
        self._tensors: dict[MemoryLocation, Tensor] = {}

    def items(self, items: list[Item], writes: PsumWrites) -> None:
        for item in items:
            if isinstance(item, Instruction):
                if item.opcode in ("Matmult", "MatmultMx"):
                    self._product(item, writes)
            elif isinstance(item, DynamicLoop | While):
                inner = writes.inner()
                inner.own.update(self._tensor(memloc) for memloc in item.new)
                self.items([i for block in item.blocks for i in block.instructions], inner)
                writes.absorb(inner)

    def _product(self, inst: Instruction, writes: PsumWrites) -> None:
        dst = inst.outs[0]
        assert isinstance(dst, AccessPattern)
        view = self._view(dst)
        attrs = dict(inst.attrs)
        unnoted = attrs.pop(UNNOTED, False)
        if attrs.pop(DERIVED, False):
            found = writes.covers(view)
            if found is not None:
                attrs["opennki_accumulate"] = found
        inst.attrs = attrs
        if not unnoted:
            writes.note(view)

    def _tensor(self, memloc: MemoryLocation) -> Tensor:
        made = self._tensors.get(memloc)
        if made is None:
            made = self._tensors[memloc] = Tensor(
                memloc.name, memloc.shape, memloc.dtype, Space.psum, loc=UNKNOWN
            )
        return made

    def _view(self, dst: AccessPattern) -> View:
        shape, strides = tuple(n for _, n in dst.ap), tuple(s for s, _ in dst.ap)
        tensor = self._tensor(dst.memloc)
        if dst.index is None:
            return View(tensor, dst.offset, shape, strides, dst.dtype)
        return IndirectView(tensor, dst.offset, shape, strides, dst.dtype, dst.index)  # type: ignore[arg-type]  # only asked whether there is one
