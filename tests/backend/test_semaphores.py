"""Waits: enough for every dependence however the engines race, and none too many."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from opennki.backend.schedule import Tracks, dependences, schedule, waits_of
from opennki.base import dtypes
from opennki.birpy import Instruction, MemoryType


def run(core, seed):
    """One interleaving of a core: when each instruction starts and when it is complete.

    An engine runs its commands one by one; a transfer starts when it is issued, and completes at
    any later time, after those before it on its ring.
    """
    rng = random.Random(seed)
    reached = dict.fromkeys(core.semaphores, 0)
    position = dict.fromkeys(core.queues, 0)
    busy = {}
    rings = {}
    started, completed = {}, {}
    clock = 0
    total = sum(len(q.commands) for q in core.queues.values())
    while len(completed) < total:
        moves = []
        for engine, queue in core.queues.items():
            if engine in busy:
                moves.append(("end", engine))
            elif position[engine] < len(queue.commands):
                command = queue.commands[position[engine]]
                if all(reached[s] >= v for s, v in command.waits):
                    moves.append(("start", engine))
        moves += [("land", ring) for ring, flying in rings.items() if flying]
        assert moves, "the queues cannot go on"
        kind, who = rng.choice(moves)
        clock += 1
        if kind == "start":
            command = core.queues[who].commands[position[who]]
            position[who] += 1
            started[command.inst.name] = clock
            if command.ring is None:
                busy[who] = command
            else:
                rings.setdefault(command.ring, []).append(command)
        else:
            command = busy.pop(who) if kind == "end" else rings[who].pop(0)
            completed[command.inst.name] = clock
            reached[command.signal] += 1
            assert reached[command.signal] == command.value
    return started, completed


@given(st.data())
@settings(max_examples=80)
def test_every_conflict_is_respected_by_every_interleaving(make, data):
    fn = data.draw(make.functions())
    core = schedule(fn)
    names = [inst.name for inst in fn.instructions()]
    conflicts = make.conflicts(fn)
    for seed in range(8):
        started, completed = run(core, seed)
        for earlier, later in conflicts:
            assert completed[names[earlier]] < started[names[later]]


@given(st.data())
@settings(max_examples=80)
def test_every_wait_is_needed(make, new, data):
    """Without any one of the waits some conflict of bytes is not ordered any more."""
    loc = new("t", MemoryType.SB, (2, 6), dtypes.uint8, address=0)
    made = [
        Instruction(
            data.draw(st.sampled_from(["TensorCopy", "DMACopy"])),
            data.draw(st.sampled_from(make.engines)), f"I-{node}",
            (data.draw(make.windows(loc)),), (data.draw(make.windows(loc)),), {},
        )
        for node in range(data.draw(st.integers(2, 10)))
    ]  # fmt: skip
    conflicts = make.conflicts(make.of([loc], made))
    tracks = Tracks(made)
    waits = waits_of(dependences(made, tracks), tracks)
    node_of = {(tracks.track[n], tracks.value[n]): n for n in range(len(made))}
    producers = [[node_of[wait] for wait in one] for one in waits]
    before = make.ordered(made, tracks, producers)
    assert all(earlier in before[later] for earlier, later in conflicts)
    for node, waited in enumerate(producers):
        for one in waited:
            fewer = list(producers)
            fewer[node] = [p for p in waited if p != one]
            before = make.ordered(made, tracks, fewer)
            assert any(earlier not in before[later] for earlier, later in conflicts)


def waits(make, memlocs, body):
    """Waits by instruction name, as text."""
    core = schedule(make.function(memlocs, body))
    return {
        c.inst.name: [f"{core.semaphores[s].name}>={v}" for s, v in c.waits]
        for c in core.commands()
        if c.waits
    }


TILES = "\n".join(
    ["%x: float32[128, 8] DRAM Internal"]
    + [f"%{n}: float32[128, 8] SB Internal address={32 * i}" for i, n in enumerate("abcd")]
)


def test_a_load_a_product_and_a_store(make):
    body = """I-1 = DMACopy SP outs(%a) ins(%x)
              I-2 = TensorCopy DVE outs(%b) ins(%a)
              I-3 = DMACopy SP outs(%x) ins(%b)"""
    assert waits(make, TILES, body) == {"I-2": ["sp.ring>=1"], "I-3": ["dve>=1"]}


def test_only_the_latest_of_one_semaphore_is_waited_for(make):
    body = """I-1 = Memset DVE outs(%a) ins()
              I-2 = Memset DVE outs(%b) ins()
              I-3 = TensorTensor ACT outs(%c) ins(%a, %b)"""
    assert waits(make, TILES, body) == {"I-3": ["dve>=2"]}


def test_what_the_queue_knows_is_not_waited_for_again(make):
    body = """I-1 = Memset DVE outs(%a) ins()
              I-2 = TensorCopy ACT outs(%b) ins(%a)
              I-3 = TensorCopy ACT outs(%c) ins(%a)"""
    assert waits(make, TILES, body) == {"I-2": ["dve>=1"]}


def test_what_the_other_queue_knew_is_not_waited_for(make):
    body = """I-1 = Memset POOL outs(%a) ins()
              I-2 = TensorCopy DVE outs(%b) ins(%a)
              I-3 = TensorTensor ACT outs(%c) ins(%a, %b)"""
    assert waits(make, TILES, body) == {"I-2": ["pool>=1"], "I-3": ["dve>=1"]}


def test_a_transfer_waits_even_for_its_own_engine(make):
    body = """I-1 = Memset ACT outs(%a) ins()
              I-2 = DMACopy ACT outs(%x) ins(%a)
              I-3 = Memset ACT outs(%a) ins()"""
    assert waits(make, TILES, body) == {"I-2": ["act>=1"], "I-3": ["act.ring>=1"]}


def test_two_rings_are_two_semaphores(make):
    body = """I-1 = DMACopy SP outs(%a) ins(%x)
              I-2 = DMACopy POOL outs(%b) ins(%x)
              I-3 = TensorTensor DVE outs(%c) ins(%a, %b)"""
    assert waits(make, TILES, body) == {"I-3": ["pool.ring>=1", "sp.ring>=1"]}
