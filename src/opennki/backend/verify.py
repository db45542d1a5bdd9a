"""Rules on placed and on scheduled code: addresses, banks, overlaps, queues that cannot go on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from opennki.backend.accumulate import MATMULS
from opennki.backend.alloc import Liveness
from opennki.backend.ownership import Ownership
from opennki.backend.program import Core, Segment
from opennki.backend.schedule import whole
from opennki.base.codes import (
    NKI5001,
    NKI5003,
    NKI5004,
    NKI5007,
    NKI5008,
    NKI5101,
    NKI5102,
    NKI5204,
)
from opennki.base.diag import Diagnostic, Problem, diagnostic, problem
from opennki.birpy import (
    AccessPattern,
    BirAffineExpr,
    Function,
    MemoryLocation,
    MemoryType,
)
from opennki.isa.enums import Engine
from opennki.target import Target

ENUMERATED: Final = 4096
"""Values of a rolled offset that are tried; longer loops are checked when they are expanded."""


def check_placement(function: Function, t: Target) -> Iterator[Diagnostic]:
    """Addresses that the author chose. Yields NKI5001, NKI5003, NKI5007 and NKI5008."""
    for loc in function.memlocs.values():
        if loc.on_chip and loc.address is not None:
            for found in _placement(loc, loc.address, t):
                yield diagnostic(found, loc.loc)


def _placement(loc: MemoryLocation, address: int, t: Target) -> Iterator[Problem]:
    psum = loc.type is MemoryType.PSUM
    capacity = t.psum_bytes if psum else t.sbuf_bytes
    rows = loc.shape[0] if loc.shape else 1
    if loc.partition < 0 or address < 0 or loc.partition + rows > t.partitions:
        why = f"it has {rows} partitions from {loc.partition}; {t.title} has {t.partitions}"
        if address < 0:
            why = "offsets are not negative"
        yield problem(NKI5008, got=(loc.partition, address), name=loc.name, why=why)
        return
    if address + loc.row_bytes > capacity:
        yield problem(
            NKI5001, name=loc.name, address=address, bytes=loc.row_bytes, capacity=capacity,
            space="PSUM" if psum else "SBUF", target=t.title,
        )  # fmt: skip
        return
    if psum and address % t.psum_bank_bytes:
        yield problem(NKI5003, name=loc.name, address=address, bank=t.psum_bank_bytes)
        return
    align = max(t.psum_align if psum else t.sbuf_align, loc.dtype.itemsize)
    if address % align:
        yield problem(NKI5007, name=loc.name, address=address, align=align)


def check_overlaps(live: Liveness) -> Iterator[Diagnostic]:
    """Storages that share bytes while both are in use. Yields NKI5004, a warning."""
    maps: dict[MemoryType, Ownership[MemoryLocation]] = {}
    lives = live.lives
    placed = [m for m in lives if m.on_chip and m.address is not None]
    for loc in sorted(placed, key=lambda m: lives[m][0]):
        now = lives[loc][0]
        owners = maps.setdefault(loc.type, Ownership())
        for other in owners.take(whole(loc)[:4], loc, lambda m, at=now: lives[m][1] >= at):  # type: ignore[misc]
            if lives[other][1] >= now:
                yield diagnostic(problem(NKI5004, first=other.name, second=loc.name), loc.loc)


def check_banks(function: Function, t: Target) -> Iterator[Diagnostic]:
    """Matmuls that write more than one PSUM bank. Yields NKI5204.

    Where the moving operand may be longer than a bank, so may the destination.
    """
    bank = t.psum_bank_bytes
    if t.pe_moving_max * 4 > bank:
        return
    for inst in function.instructions():
        if inst.opcode not in MATMULS:
            continue
        for out in inst.outs:
            if isinstance(out, AccessPattern) and out.memloc.type is MemoryType.PSUM:
                first, last = _banks(out, bank)
                if first != last:
                    facts = problem(NKI5204, operand="dst", first=first, last=last)
                    yield diagnostic(facts, inst.loc)


def _banks(out: AccessPattern, bank: int) -> tuple[int, int]:
    """First and last bank of a destination; of a rolled one, for the first trip that straddles."""
    loc, size = out.memloc, out.dtype.itemsize
    row = max(1, loc.row_bytes)
    below = sum(min(0, step * (num - 1)) for step, num in out.ap[1:]) * size
    above = sum(max(0, step * (num - 1)) for step, num in out.ap[1:]) * size + size
    first = last = 0
    for offset in _offsets(out.offset):
        start = (loc.address or 0) + offset * size % row
        first, last = (start + below) // bank, (start + above - 1) // bank
        if first != last:
            break
    return first, last


def _offsets(offset: int | BirAffineExpr) -> Iterator[int]:
    if isinstance(offset, int):
        yield offset
        return
    count = 1
    for var, _ in offset.terms:
        count *= var.trips
    if count > ENUMERATED:
        yield offset.const
        return
    for values in product(*(var.values() for var, _ in offset.terms)):
        yield offset.const + sum(
            coeff * value for (_, coeff), value in zip(offset.terms, values, strict=True)
        )


def check_edges(function: Function) -> Iterator[Diagnostic]:
    """Explicit edges to instructions that do not exist. Yields NKI5101."""
    asking = [inst for inst in function.instructions() if inst.dependencies]
    if asking:
        names = {inst.name for inst in function.instructions()}
        for inst in asking:
            for name, _ in inst.dependencies:
                if name not in names:
                    yield diagnostic(problem(NKI5101, name=name, close=""), inst.loc)


def check_queues(core: Core) -> Iterator[Diagnostic]:
    """Commands that can never run, found by running the queues. Yields NKI5102.

    Transfers are taken to be complete as soon as they are issued: a queue that cannot go on then
    cannot go on at all.
    """
    for segment in core.segments():
        yield from _stuck(segment)


def _stuck(segment: Segment) -> Iterator[Diagnostic]:
    reached = dict.fromkeys(segment.semaphores, 0)
    position = dict.fromkeys(segment.queues, 0)
    sleeping: dict[int, list[Engine]] = {}
    ready = list(segment.queues)
    while ready:
        engine = ready.pop()
        commands = segment.queues[engine].commands
        for index in range(position[engine], len(commands)):
            command = commands[index]
            blocked = next((s for s, v in command.waits if reached.get(s, 0) < v), None)
            if blocked is not None:
                position[engine] = index
                sleeping.setdefault(blocked, []).append(engine)
                break
            reached[command.signal] += 1
            woken = sleeping.pop(command.signal, None)
            if woken:
                ready += woken
        else:
            position[engine] = len(commands)
    stuck = [
        queue.commands[position[engine]].inst
        for engine, queue in segment.queues.items()
        if position[engine] < len(queue.commands)
    ]
    if stuck:
        names = ", ".join(inst.name for inst in stuck)
        yield diagnostic(problem(NKI5102, names=names), stuck[0].loc)
