"""Hand-made BIR modules, and an oracle that looks at every byte."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from opennki.backend.schedule import Tracks, decode, dependences
from opennki.backend.schedule.engines import FIRST_RING
from opennki.base import dtypes
from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    Function,
    Instruction,
    MemoryLocation,
    MemoryType,
    Module,
    TensorKind,
)
from opennki.birpy.parser import parse_module
from opennki.isa.enums import Engine


def storage(
    name: str,
    space: MemoryType,
    shape: tuple[int, ...],
    dtype: object,
    address: int | None = None,
    partition: int = 0,
) -> MemoryLocation:
    """An internal storage; with an address it counts as placed by the author."""
    return MemoryLocation(
        name, space, TensorKind.Internal, dtype, shape, address=address, partition=partition,
        user_allocated=address is not None,
    )  # fmt: skip


def function_of(locs: list[MemoryLocation], instructions: list[Instruction]) -> Function:
    """A function with these storages and instructions."""
    return Function("main", {m.name: m for m in locs}, [BasicBlock("Block1", list(instructions))])


ENGINES = [Engine.PE, Engine.ACT, Engine.DVE, Engine.POOL, Engine.SP]


@st.composite
def windows(draw, loc):
    """A legal access to a storage: rows, columns with a step, sometimes other bytes per element."""
    rows, columns = loc.shape[0], loc.row
    first = draw(st.integers(0, rows - 1))
    count = draw(st.integers(1, rows - first))
    step = draw(st.sampled_from([1, 1, 2, 3]))
    column = draw(st.integers(0, columns - 1))
    number = draw(st.integers(1, (columns - 1 - column) // step + 1))
    if draw(st.booleans()) and columns % 2 == 0 and loc.dtype is dtypes.uint16:
        return AccessPattern(
            loc, (first * columns + column) * 2, ((columns * 2, count), (1, number)), dtypes.uint8
        )
    return AccessPattern(
        loc, first * columns + column, ((columns, count), (step, number)), loc.dtype
    )


@st.composite
def functions(draw):
    """Random instructions on tiles that share addresses, and on a matrix in DRAM."""
    locs = [
        storage(
            f"t{i}", draw(st.sampled_from([MemoryType.SB, MemoryType.PSUM])),
            (draw(st.integers(1, 4)), draw(st.sampled_from([2, 4, 6]))),
            draw(st.sampled_from([dtypes.uint8, dtypes.uint16])),
            address=draw(st.integers(0, 8)), partition=draw(st.integers(0, 3)),
        )
        for i in range(draw(st.integers(1, 5)))
    ]  # fmt: skip
    locs.append(storage("x", MemoryType.DRAM, (6, 8), dtypes.uint16))
    made = []
    for node in range(draw(st.integers(2, 24))):
        ins = tuple(
            draw(windows(draw(st.sampled_from(locs)))) for _ in range(draw(st.integers(0, 2)))
        )
        outs = (draw(windows(draw(st.sampled_from(locs)))),)
        opcode = draw(st.sampled_from(["DMACopy", "TensorCopy", "TensorCopy"]))
        engine = draw(st.sampled_from(ENGINES))
        made.append(Instruction(opcode, engine, f"I-{node}", ins, outs, {}))
    return function_of(locs, made)


def ordered(instructions, tracks, producers):
    """For each instruction, those that are surely complete when it starts.

    That is what its queue has waited for so far (whatever completes earlier on the same track, and
    what the awaited queue had waited for itself, included), and for a compute instruction those
    before it on its engine.
    """
    waited: list[set[int]] = []
    queues: dict[int, set[int]] = {}
    before = []
    for node in range(len(instructions)):
        known = set(queues.get(tracks.queue[node], ()))
        for p in producers[node]:
            known |= {q for q in range(p + 1) if tracks.track[q] == tracks.track[p]} | waited[p]
        queues[tracks.queue[node]] = known
        waited.append(known)
        track = tracks.track[node]
        own = {q for q in range(node) if tracks.track[q] == track < FIRST_RING}
        before.append(known | own)
    return before


class Maker:
    """Builds modules from short text, and answers questions about them by brute force."""

    def module(self, memlocs: str, body: str, arch: str = "sunda") -> Module:
        """A module with one function and one block; lines of `memlocs` and `body` are BIR text."""
        declared = "\n".join(f"memloc {line}" for line in memlocs.strip().splitlines())
        return parse_module(
            f"bir.module arch={arch} version=2 {{ function @main inputs=[] outputs=[] {{\n"
            f"{declared}\nblock Block1 {{\n{body}\n}} }} }}"
        )

    def function(self, memlocs: str, body: str) -> Function:
        return self.module(memlocs, body).functions[0]

    def of(self, locs: list[MemoryLocation], instructions: list[Instruction]) -> Function:
        """A function with these storages and instructions."""
        return function_of(locs, instructions)

    engines = ENGINES

    def functions(self):
        """Strategy: random functions on storages that share addresses."""
        return functions()

    def windows(self, loc: MemoryLocation):
        """Strategy: legal accesses to a storage."""
        return windows(loc)

    def ordered(self, instructions, tracks, producers):
        """See `ordered`."""
        return ordered(instructions, tracks, producers)

    def edges(self, function: Function) -> set[tuple[str, str, str]]:
        """Dependences as (producer, consumer, kind) names."""
        instructions = list(function.instructions())
        found = set()
        for inst, edges in zip(
            instructions, dependences(instructions, Tracks(instructions)), strict=True
        ):
            for edge in edges.values():
                producer, kind = decode(edge)
                found.add((instructions[producer].name, inst.name, kind.name))
        return found

    def bytes_of(self, arg: AccessPattern) -> set[tuple[object, int, int]]:
        """Every byte of an access: (memory or DRAM tensor, partition, byte)."""
        loc, size = arg.memloc, arg.dtype.itemsize
        index = np.array(arg.offset)
        for step, count in arg.ap:
            index = np.add.outer(index, step * np.arange(count))
        flat = (index.reshape(-1, 1) * size + np.arange(size)).reshape(-1).tolist()
        if not loc.on_chip:
            return {(loc.name, 0, b) for b in flat}
        row, base = loc.row_bytes, loc.address
        return {(loc.type, loc.partition + b // row, base + b % row) for b in flat}

    def conflicts(self, function: Function) -> set[tuple[int, int]]:
        """All pairs (earlier, later) that touch a byte which one of them writes."""
        touched = []
        for inst in function.instructions():
            reads = set().union(
                *[self.bytes_of(a) for a in inst.ins if isinstance(a, AccessPattern)]
            )
            writes = set().union(
                *[self.bytes_of(a) for a in inst.outs if isinstance(a, AccessPattern)]
            )
            touched.append((reads, writes))
        found = set()
        for later, (reads, writes) in enumerate(touched):
            for earlier in range(later):
                was_read, was_written = touched[earlier]
                if writes & was_written or writes & was_read or reads & was_written:
                    found.add((earlier, later))
        return found


@pytest.fixture(scope="session")
def make() -> Maker:
    return Maker()


@pytest.fixture(scope="session")
def new():
    """Makes an internal storage (see `storage`)."""
    return storage
