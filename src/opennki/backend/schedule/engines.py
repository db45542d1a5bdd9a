"""Who runs an instruction: the queue that issues it, and the track on which it completes.

Each engine takes instructions from its queue in order and completes them in order. A DMA is only
issued by its queue; the data move later, on the DMA ring of that engine, and complete in order on
the ring. A *track* is one such order of completions and has one counting semaphore: tracks 0 to 4
are the engines, 5 to 9 their rings.
Source: trn2 architecture guide, "Synchronization"; DMA queues belong to the engine that triggers
them, one ring per engine (Model: the hardware spreads a ring over 16 DMA engines).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from opennki.birpy import Instruction
from opennki.isa.enums import Engine

QUEUES: Final = (Engine.PE, Engine.ACT, Engine.DVE, Engine.POOL, Engine.SP)
"""Engines with a queue; a queue's number is its position."""

TRACKS: Final = 2 * len(QUEUES)
FIRST_RING: Final = len(QUEUES)

DMAS: Final = frozenset({
    "DMACopy", "Load", "Save", "DMATrigger", "ReadVarAddr", "GenericIndirectLoad",
    "GenericIndirectSave", "IndirectLoad", "IndirectSave", "IndirectSaveAccumulate",
})  # fmt: skip
"""Opcodes whose data move on a ring. Source: BIR data model, base class DMA."""

_QUEUE_OF: Final = {engine: number for number, engine in enumerate(QUEUES)}
# Model: what has no engine of its own is issued by SP, the engine that does nothing else.
# What all sequencers do alike is done once: SP does it, and others wait for it where they need it.
_QUEUE_OF[Engine.DMA] = _QUEUE_OF[Engine.UNASSIGNED] = _QUEUE_OF[Engine.SP]
_QUEUE_OF[Engine.ALL] = _QUEUE_OF[Engine.SP]


class Tracks:
    """Where each instruction of a straight-line function runs.

    Attributes: queue, number of the issuing queue of each instruction; track, the track it
    completes on; value, what the track's semaphore has reached when it is complete (1, 2, ...).
    """

    __slots__ = ("queue", "track", "value")

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        count = len(instructions)
        self.queue = bytearray(count)
        self.track = bytearray(count)
        self.value = [0] * count
        reached = [0] * TRACKS
        for node, inst in enumerate(instructions):
            track = queue = _QUEUE_OF[inst.engine]
            if inst.opcode in DMAS:
                track += FIRST_RING
            self.queue[node] = queue
            self.track[node] = track
            reached[track] = self.value[node] = reached[track] + 1


def track_of(inst: Instruction) -> int:
    """The track that an instruction completes on."""
    return _QUEUE_OF[inst.engine] + (FIRST_RING if inst.opcode in DMAS else 0)


def track_name(track: int) -> str:
    """``dve`` for an engine, ``sp.ring`` for a ring."""
    name = QUEUES[track % FIRST_RING].name.lower()
    return name if track < FIRST_RING else f"{name}.ring"


def track_number(name: str) -> int | None:
    """The track with this name."""
    return _NUMBERS.get(name)


_NUMBERS: Final = {track_name(track): track for track in range(TRACKS)}
