"""Makes queues of a function without rolled loops: every engine keeps the author's order."""

from __future__ import annotations

from collections.abc import Sequence

from opennki.backend.program import Command, Core, Queue, Repeat, Section, Segment, Semaphore
from opennki.birpy import Function, Instruction
from opennki.birpy.module import Item

from .deps import dependences
from .engines import FIRST_RING, QUEUES, TRACKS, Tracks, track_name
from .semaphores import waits_of


def schedule(function: Function) -> Core:
    """The core that runs `function`, which must be allocated and have no loops but run-time ones.

    Raises: NKI5101 if an instruction names one that it must follow and that does not exist.
    """
    items = [item for block in function.blocks for item in block.instructions]
    looped = any(not isinstance(item, Instruction) for item in items)
    names = {inst.name for inst in function.instructions()} if looped else set()
    return Core(function, _sections(items, names))


def _sections(items: Sequence[Item], names: set[str]) -> list[Section]:
    """The sections of one body.

    Args: names, of all instructions of a function with loops: what is not in the same segment is
        complete when the segment begins, because engines meet between sections.
    """
    made: list[Section] = []
    straight: list[Instruction] = []
    for item in items:
        if isinstance(item, Instruction):
            straight.append(item)
            continue
        if straight:
            made.append(_segment(straight, names))
            straight = []
        inner = [i for block in item.blocks for i in block.instructions]
        made.append(Repeat(item, _sections(inner, names)))  # type: ignore[arg-type]  # see `schedule`
    if straight or not made:
        made.append(_segment(straight, names))
    return made


def _segment(instructions: Sequence[Instruction], names: set[str]) -> Segment:
    tracks = Tracks(instructions)
    waits = waits_of(dependences(instructions, tracks, names), tracks)
    queues = [Queue(engine) for engine in QUEUES]
    rings = [None] * FIRST_RING + list(QUEUES)
    appends = [queue.commands.append for queue in queues]
    for inst, wait, number, track, value in zip(
        instructions, waits, tracks.queue, tracks.track, tracks.value, strict=True
    ):
        appends[number](Command(inst, wait, track, value, rings[track]))
    used = set(tracks.track)
    return Segment(
        {queue.engine: queue for queue in queues if queue.commands},
        {t: Semaphore(t, track_name(t)) for t in range(TRACKS) if t in used},
    )
