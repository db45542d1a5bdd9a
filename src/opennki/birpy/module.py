"""Modules, functions, blocks and loops of BIR. Instructions are in `instruction`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opennki.base.affine import LoopVar
from opennki.base.loc import UNKNOWN, SrcLoc

from .access import AccessPattern
from .instruction import Instruction
from .memloc import MemoryLocation


@dataclass
class BasicBlock:
    """An ordered list of instructions and loops. The entry block is called ``Block1``."""

    name: str
    instructions: list[Item] = field(default_factory=list)


@dataclass
class Loop:
    """A loop instruction: runs `blocks` once for every value of `axis`.

    `parallel` is the wire's ``isParallel``: the author says that no trip depends on another.
    """

    name: str
    axis: LoopVar
    blocks: list[BasicBlock]
    parallel: bool = False
    loc: SrcLoc = field(default=UNKNOWN, compare=False)


@dataclass
class DynamicLoop:
    """A loop over a range that is known at run time only (``DynamicForLoop``).

    `register` holds ``start, start + step, ...`` while it is below `stop`; start and stop are
    numbers or registers, read once. Step is positive. `new` are storages in PSUM that begin anew in
    every trip: no matrix product has written them yet (a field of ours on the wire).
    """

    name: str
    register: MemoryLocation
    start: int | MemoryLocation
    stop: int | MemoryLocation
    step: int
    blocks: list[BasicBlock]
    loc: SrcLoc = field(default=UNKNOWN, compare=False)
    new: list[MemoryLocation] = field(default_factory=list)

    def registers(self) -> list[MemoryLocation]:
        """The registers that the loop itself names."""
        named = (self.register, self.start, self.stop)
        return [r for r in named if isinstance(r, MemoryLocation)]


@dataclass
class While:
    """A loop that runs `blocks` while the register `condition` is not 0 (``DoWhile``).

    The register is tested before every trip, the first one too. Model: BIR's DoWhile tests after a
    trip; the test before the first one is a field of ours on the wire. `new` is as for the other.
    """

    name: str
    condition: MemoryLocation
    blocks: list[BasicBlock]
    loc: SrcLoc = field(default=UNKNOWN, compare=False)
    new: list[MemoryLocation] = field(default_factory=list)

    def registers(self) -> list[MemoryLocation]:
        """The register that the loop itself names."""
        return [self.condition]


Item = Instruction | Loop | DynamicLoop | While


@dataclass
class Function:
    """One core's program.

    Attributes: name; memlocs, by name, in order of creation; blocks; inputs and outputs, names of
    memlocs in argument and result order; attributes, wire flags such as ``need_dce``.
    """

    name: str
    memlocs: dict[str, MemoryLocation] = field(default_factory=dict)
    blocks: list[BasicBlock] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)

    def instructions(self) -> Iterator[Instruction]:
        """Every instruction in text order; loop bodies once."""
        for block in self.blocks:
            yield from _walk(block)

    def used(self) -> dict[str, MemoryLocation]:
        """Arguments, results, and in order of first use what instructions and loops use; by name.

        To begin anew in a loop is no use.
        """
        found = {name: self.memlocs[name] for name in (*self.inputs, *self.outputs)}
        for memloc in _uses(self.blocks):
            found.setdefault(memloc.name, memloc)
        return found

    def adopt(self, storages: Sequence[MemoryLocation], fill: Instruction) -> None:
        """Add storages that the compiler made, and name them and the instruction that fills them.

        All get one number at the end of their names if something has one of the names already, as
        an author's storage or instruction may. A storage that nothing uses gives its name up.
        """
        own = {id(storage) for storage in storages}
        used = {*self.inputs, *self.outputs}
        used.update(m.name for m in _uses(self.blocks) if id(m) not in own)
        named = {inst.name for inst in self.instructions() if inst is not fill}
        end, number = "", 0
        while fill.name + end in named or any(s.name + end in used for s in storages):
            number += 1
            end = f"_{number}"
        fill.name += end
        for storage in storages:
            storage.name += end
            self.memlocs[storage.name] = storage

    def __repr__(self) -> str:
        return f"<birpy.Function {self.name}: {sum(1 for _ in self.instructions())} instructions>"


def _uses(blocks: Sequence[BasicBlock]) -> Iterator[MemoryLocation]:
    """Every use of a storage."""
    for block in blocks:
        for item in block.instructions:
            if isinstance(item, Instruction):
                for arg in (*item.ins, *item.outs):
                    if isinstance(arg, AccessPattern):
                        yield arg.memloc
                        if arg.index is not None:
                            yield arg.index.source.memloc
                continue
            if not isinstance(item, Loop):
                yield from item.registers()
            yield from _uses(item.blocks)


def _walk(block: BasicBlock) -> Iterator[Instruction]:
    for item in block.instructions:
        if item.__class__ is Instruction:
            yield item
        else:
            for inner in item.blocks:  # type: ignore[union-attr]  # the only other item is a Loop
                yield from _walk(inner)


@dataclass
class Module:
    """What both routes produce: one function per core, and the target.

    `arch` is the wire spelling of the target (``inferentia``, ``sunda``, ``gen3``, ``core_v4``).
    `nki_functions` are kernels, which instructions (``NKIKernel``) of the functions call by name.
    """

    functions: list[Function]
    arch: str
    version: int = 2
    attributes: dict[str, object] = field(default_factory=dict)
    nki_functions: list[Function] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<birpy.Module for {self.arch}: {', '.join(fn.name for fn in self.functions)}>"
