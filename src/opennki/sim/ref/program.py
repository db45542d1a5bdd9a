"""Reference interpreter of a Program: all engines of a core on one physical memory image.

SBUF and PSUM are one buffer each, and every storage lies at its address, so that storages that
overlap wrongly overwrite each other. Queues run as far ahead as their semaphores let them, DMA
transfers as late as possible, so that a missing semaphore shows as a wrong result. An instruction
that waits for another core holds up the queue that it is in, and no other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from opennki.backend.program import Command, Core, Program, Section, Segment
from opennki.base.codes import NKI6006
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN
from opennki.birpy import MemoryLocation, MemoryType
from opennki.ir import Inst
from opennki.isa.enums import Engine
from opennki.isa.registry import INSTRUCTIONS
from opennki.lower import Lifter
from opennki.sim.cores import Steps, Wait, run_alone
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory, Storage
from opennki.target import Target

from .bir import trips

Image = NDArray[np.uint8]

COMPANY: Final = frozenset(cls.spec.bir for cls in INSTRUCTIONS if not cls.alone)
"""Opcodes that run together with those of other cores."""


def run(program: Program, index: int, machine: Machine, memory: Memory) -> None:
    """Execute core `index` of `program`; `memory` holds the inputs and receives the outputs.

    Raises: NKI6006 if a queue waits for a semaphore that nothing will signal.
    """
    run_alone(machine, steps(program, index, machine, memory))


def steps(program: Program, index: int, machine: Machine, memory: Memory) -> Steps:
    """Execute core `index` as one of several. Raises: as `run`."""
    core = program.cores[index]
    place(core, program.target, memory)
    yield from _sections(core.sections, Lifter(program.target), machine)


def _sections(sections: list[Section], lifter: Lifter, machine: Machine) -> Steps:
    """Run segments and run-time loops one after the other."""
    for section in sections:
        if isinstance(section, Segment):
            yield from Run(section, lifter, machine).steps()
        else:
            for _ in trips(section.loop, machine, lifter):
                yield from _sections(section.body, lifter, machine)


def place(core: Core, target: Target, memory: Memory) -> None:
    """Put the on-chip storages of `core` at their addresses in one image of each memory.

    Before anything is written, shared places hold the pattern of the storage that is used first.
    """
    pitches = {MemoryType.SB: target.sbuf_total_bytes, MemoryType.PSUM: target.psum_bytes}
    images = {
        kind: np.empty(target.partitions * pitch, np.uint8) for kind, pitch in pitches.items()
    }
    for memloc in core.memlocs.values():
        if memloc.type in images:
            memory.own[memloc.name] = _storage(memloc, images[memloc.type], pitches[memloc.type])
    for name in reversed(core.function.used()):
        if name in memory.own and core.memlocs[name].type in images:
            memory.own[name].poison()


def _storage(memloc: MemoryLocation, image: Image, pitch: int) -> Storage:
    assert memloc.address is not None, f"{memloc.name} is not allocated"
    return Storage(memloc, data=image, base=memloc.partition * pitch + memloc.address, pitch=pitch)


class Run:
    """One execution of the queues of a segment."""

    def __init__(self, segment: Segment, lifter: Lifter, machine: Machine) -> None:
        self.lifter = lifter
        self.machine = machine
        self.queues = {e: deque(q.commands) for e, q in segment.queues.items()}
        self.rings: dict[Engine, deque[Command]] = {}
        self.reached: dict[int, int] = dict.fromkeys(segment.semaphores, 0)
        self.held: dict[Engine, Inst] = {}

    def steps(self) -> Steps:
        """Run every queue to its end."""
        while any(self.queues.values()):
            if any([self._advance(engine, queue) for engine, queue in self.queues.items()]):
                continue
            if self.held:
                done = yield Wait(tuple(self.held.values()), not any(self.rings.values()))
                if done:
                    self._release(done)
                    continue
            self._progress()
        for ring in self.rings.values():
            while ring:
                self._complete(ring.popleft())

    def _release(self, done: Sequence[Inst]) -> None:
        """Go on with the queues whose first instructions were done together with other cores."""
        for engine, inst in list(self.held.items()):
            if any(inst is one for one in done):
                command = self.queues[engine].popleft()
                self.reached[command.signal] = command.value
                del self.held[engine]

    def _advance(self, engine: Engine, queue: deque[Command]) -> bool:
        """Run commands of one queue until it has to wait; whether any ran."""
        moved = False
        reached = self.reached
        while queue and all(reached[s] >= value for s, value in queue[0].waits):
            if queue[0].inst.opcode in COMPANY:
                if engine not in self.held:
                    self.held[engine] = self.lifter(queue[0].inst)
                break
            command = queue.popleft()
            moved = True
            if command.ring is None:
                self._complete(command)
            else:
                self.rings.setdefault(command.ring, deque()).append(command)
        return moved

    def _progress(self) -> None:
        """Let the oldest transfer of one ring complete, because every queue waits."""
        for ring in self.rings.values():
            if ring:
                self._complete(ring.popleft())
                return
        waiting = [queue[0] for queue in self.queues.values() if queue]
        names = ", ".join(f"{c.inst.name} on {c.inst.engine.nki}" for c in waiting)
        loc = waiting[0].inst.loc if waiting else UNKNOWN
        raise fail(NKI6006, loc, what=f"{names} wait for semaphores that nothing signals")

    def _complete(self, command: Command) -> None:
        self.machine.execute(self.lifter(command.inst))
        self.reached[command.signal] = command.value
