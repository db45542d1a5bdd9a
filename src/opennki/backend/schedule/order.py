"""Makes queues of a straight-line function: every engine keeps the author's order."""

from __future__ import annotations

from opennki.backend.program import Command, Core, Queue, Semaphore
from opennki.birpy import Function

from .deps import dependences
from .engines import FIRST_RING, QUEUES, TRACKS, Tracks, track_name
from .semaphores import waits_of


def schedule(function: Function) -> Core:
    """The core that runs `function`, which must be allocated and without loops.

    Raises: NKI5101 if an instruction names one that it must follow and that does not exist.
    """
    instructions = list(function.instructions())
    tracks = Tracks(instructions)
    waits = waits_of(dependences(instructions, tracks), tracks)
    queues = [Queue(engine) for engine in QUEUES]
    rings = [None] * FIRST_RING + list(QUEUES)
    appends = [queue.commands.append for queue in queues]
    for inst, wait, number, track, value in zip(
        instructions, waits, tracks.queue, tracks.track, tracks.value, strict=True
    ):
        appends[number](Command(inst, wait, track, value, rings[track]))
    used = set(tracks.track)
    return Core(
        function,
        {queue.engine: queue for queue in queues if queue.commands},
        {t: Semaphore(t, track_name(t)) for t in range(TRACKS) if t in used},
    )
