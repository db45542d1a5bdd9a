"""Modules, functions, blocks and loops of BIR. Instructions are in `instruction`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from opennki.base.affine import LoopVar
from opennki.base.loc import UNKNOWN, SrcLoc

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

    def __repr__(self) -> str:
        return f"<birpy.Function {self.name}: {sum(1 for _ in self.instructions())} instructions>"


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
