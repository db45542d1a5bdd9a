"""The scheduled program: one queue per engine, semaphores, and the memory map.

This is what the back end makes of a BIR module and what simulation, timing and packaging start
from. Its text is in `program_text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from opennki.birpy import Function, Instruction, MemoryLocation, TensorKind
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
class Core:
    """The program of one core.

    Attributes: function, its straight-line BIR with every storage placed; its only block has the
    instructions in the author's order; queues by engine, only those that have commands;
    semaphores that are used, by id.
    """

    function: Function
    queues: dict[Engine, Queue]
    semaphores: dict[int, Semaphore]

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
        """Every command, queue by queue."""
        for queue in self.queues.values():
            yield from queue.commands

    def __repr__(self) -> str:
        return f"<core {self.name}: {sum(len(q.commands) for q in self.queues.values())} commands>"


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
