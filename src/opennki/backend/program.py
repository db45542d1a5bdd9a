"""The scheduled program: one queue per engine, semaphores, and the memory map.

This is what the back end makes of a BIR module and what simulation, timing and packaging start
from. Its text is in `program_text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from opennki.birpy import DynamicLoop, Function, Instruction, MemoryLocation, TensorKind, While
from opennki.isa.enums import Engine
from opennki.target import Target

Waits = tuple[tuple[int, int], ...]


class Command:
    """One instruction in a queue.

    Attributes: inst; waits, pairs (semaphore, value): the queue stops here until each semaphore is
    at least at its value; signal, semaphore that goes up by one when the instruction is complete,
    and value, what it then has reached; ring, engine whose DMA ring moves the data, None for an
    instruction that its engine executes itself.
    """

    __slots__ = ("inst", "ring", "signal", "value", "waits")

    def __init__(
        self, inst: Instruction, waits: Waits, signal: int, value: int, ring: Engine | None
    ) -> None:
        self.inst = inst
        self.waits = waits
        self.signal = signal
        self.value = value
        self.ring = ring

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Command)
            and self.waits == other.waits
            and self.signal == other.signal
            and self.value == other.value
            and self.ring is other.ring
            and self.inst == other.inst
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return (
            f"<{self.inst.opcode} {self.inst.name} waits={self.waits} {self.signal}={self.value}>"
        )


@dataclass
class Queue:
    """What one engine is told to do, in order."""

    engine: Engine
    commands: list[Command] = field(default_factory=list)


@dataclass(frozen=True)
class Semaphore:
    """A counter that starts at 0; name is an engine's (``dve``) or a ring's (``sp.ring``)."""

    id: int
    name: str


@dataclass
class Segment:
    """Straight-line code: queues by engine, only those that have commands, and its semaphores.

    Semaphores start at 0, and everything before the segment is complete when it begins.
    """

    queues: dict[Engine, Queue]
    semaphores: dict[int, Semaphore]


@dataclass
class Repeat:
    """A run-time loop: all engines run `body` together for every trip.

    Engines meet before every trip and after the last one (BIR's AllEngineBarrier), each of them
    having read the loop's registers itself.
    """

    loop: DynamicLoop | While
    body: list[Section]


Section = Segment | Repeat


@dataclass
class Core:
    """The program of one core.

    Attributes: function, its BIR with every storage placed and only run-time loops left, in the
    author's order; sections, its straight-line segments and run-time loops in order.
    """

    function: Function
    sections: list[Section]

    def segments(self) -> Iterator[Segment]:
        """Every segment in order, those of loops once."""
        return _segments(self.sections)

    @property
    def queues(self) -> dict[Engine, Queue]:
        """What each engine is told to do over all segments; only engines that have commands."""
        found: dict[Engine, Queue] = {}
        for segment in self.segments():
            for engine, queue in segment.queues.items():
                found.setdefault(engine, Queue(engine)).commands.extend(queue.commands)
        return found

    @property
    def semaphores(self) -> dict[int, Semaphore]:
        """Semaphores that are used, by id."""
        found = {}
        for segment in self.segments():
            found.update(segment.semaphores)
        return dict(sorted(found.items()))

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.function.name

    @property
    def memlocs(self) -> dict[str, MemoryLocation]:
        """The memory map: every storage by name, with its address."""
        return self.function.memlocs

    @property
    def inputs(self) -> list[MemoryLocation]:
        """Storages of the arguments, in order."""
        return [self.memlocs[name] for name in self.function.inputs]

    @property
    def outputs(self) -> list[MemoryLocation]:
        """Storages of the results, in order."""
        return [self.memlocs[name] for name in self.function.outputs]

    @property
    def constants(self) -> list[MemoryLocation]:
        """Storages whose contents are known from the start."""
        return [m for m in self.memlocs.values() if m.kind is TensorKind.Const]

    def commands(self) -> Iterator[Command]:
        """Every command, queue by queue in every segment."""
        for segment in self.segments():
            for queue in segment.queues.values():
                yield from queue.commands

    def __repr__(self) -> str:
        return f"<core {self.name}: {sum(len(q.commands) for q in self.queues.values())} commands>"


def _segments(sections: list[Section]) -> Iterator[Segment]:
    for section in sections:
        if isinstance(section, Segment):
            yield section
        else:
            yield from _segments(section.body)


@dataclass
class Program:
    """Programs of all cores of a launch, for one target.

    `attributes` are those of the module that the program was made from.
    """

    target: Target
    cores: list[Core]
    attributes: dict[str, object] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """How many commands each engine has, how many are DMAs, and how many waits there are."""
        found: dict[str, int] = {}
        dmas = waits = 0
        for core in self.cores:
            for engine, queue in core.queues.items():
                name = engine.name
                found[name] = found.get(name, 0) + len(queue.commands)
                dmas += sum(c.ring is not None for c in queue.commands)
                waits += sum(len(c.waits) for c in queue.commands)
        return {**found, "dmas": dmas, "waits": waits}

    def __repr__(self) -> str:
        return f"<program for {self.target.name}: {', '.join(core.name for core in self.cores)}>"
