"""Turns dependences into waits on semaphores, and leaves out every wait that is implied.

Each track has one semaphore that counts its completions. A queue remembers what it knows: for every
semaphore, a value that it has reached for certain. Waiting for an instruction also teaches a queue
what that instruction's own queue knew when it issued it. A wait whose value is known is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from opennki.backend.program import Waits

from .deps import Edges
from .engines import QUEUES, TRACKS, Tracks

Clock = tuple[int, ...]
"""A value for the semaphore of every track."""

_NONE: Waits = ()


def waits_of(edges_of: Iterable[Edges], tracks: Tracks) -> list[Waits]:
    """The waits of each instruction, given its edges (in the order of the instructions)."""
    queue, track, value = tracks.queue, tracks.track, tracks.value
    known: list[Clock] = [(0,) * TRACKS] * len(QUEUES)
    at_issue: list[Clock] = []  # what the queue of each instruction knew; shared while unchanged
    result: list[Waits] = []
    for node, edges in enumerate(edges_of):
        clock = known[queue[node]]
        waits = _NONE
        if edges:
            needed = [e >> 2 for on, e in edges.items() if value[e >> 2] > clock[on]]
            if needed:
                waits, clock = _wait(needed, clock, at_issue, track, value)
                known[queue[node]] = clock
        at_issue.append(clock)
        result.append(waits)
    return result


def _wait(
    needed: list[int], clock: Clock, at_issue: list[Clock], track: bytearray, value: list[int]
) -> tuple[Waits, Clock]:
    """Waits for the completion of all of `needed`, and what is known after them.

    The latest instruction goes first: only it can imply others.
    """
    waits = []
    if len(needed) > 1:
        needed.sort(reverse=True)
    for producer in needed:
        on, reached = track[producer], value[producer]
        if reached <= clock[on]:
            continue
        waits.append((on, reached))
        then = list(clock)
        if producer < len(at_issue):  # an explicit edge may point forwards
            then = [a if a > b else b for a, b in zip(clock, at_issue[producer], strict=True)]
        then[on] = max(reached, then[on])
        clock = tuple(then)
    if len(waits) > 1:
        waits.sort()
    return tuple(waits), clock
