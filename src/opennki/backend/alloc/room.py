"""What SBUF and PSUM have in common: which storages to place, and what to say without room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from opennki.base.codes import NKI5002, NKI5006
from opennki.base.diag import Diagnostic, amount, diagnostic, problem
from opennki.birpy import MemoryLocation, MemoryType
from opennki.target import Target

from .liveness import Liveness
from .pack import Failure, Item

LINEUP: Final = 6
"""Storages that a message about missing space names."""


def storages(live: Liveness, space: MemoryType) -> Iterable[tuple[MemoryLocation, tuple[int, int]]]:
    """Storages of a memory with their lives, in order of time."""
    found = [(loc, life) for loc, life in live.lives.items() if loc.type is space]
    return sorted(found, key=lambda pair: pair[1][0])


def park(live: Liveness, space: MemoryType) -> None:
    """Give storages that nothing uses the address 0: they occupy nothing."""
    for loc in live.function.memlocs.values():
        if loc.type is space and loc not in live.lives:
            if loc.address is None:
                loc.address = 0
            if space is MemoryType.PSUM:
                loc.bank = 0


def no_room(
    failure: Failure, items: list[Item], live: Liveness, t: Target, unit: int
) -> Diagnostic:
    """Why the items do not fit: too much is live at one time, or no gap is large enough.

    Args: unit, bytes of the units that items are measured in: a bank in PSUM, else 1.
    """
    loc: MemoryLocation = failure.item.owner  # type: ignore[assignment]  # owners are storages
    psum = loc.type is not MemoryType.SB
    space = "PSUM" if psum else "SBUF"
    capacity = t.psum_bytes if psum else t.sbuf_bytes
    position = _overflow(items, capacity // unit)
    if position is None:
        facts = problem(
            NKI5006, name=loc.name, bytes=failure.item.size * unit, free=failure.free * unit,
            space=space, gap=failure.gap * unit,
        )  # fmt: skip
        return diagnostic(facts, loc.loc)
    alive = _alive(items, position)
    remedy = {"bank": amount(unit)} if psum else {"spill": "HBM"}
    facts = problem(
        NKI5002, need=amount(unit * _occupied(alive)), capacity=amount(capacity), space=space,
        target=t.title, **remedy,
    )  # fmt: skip
    return diagnostic(facts, live.at(position).loc, notes=_lineup(alive, unit))


def _lineup(alive: list[Item], unit: int) -> list[str]:
    """One note per storage that is live, largest first."""
    alive = sorted(alive, key=lambda item: (-item.size, item.start))
    notes = [_describe(item.owner, item.size, unit) for item in alive[:LINEUP]]  # type: ignore[arg-type]
    if len(alive) > LINEUP:
        rest = sum(item.size for item in alive[LINEUP:]) * unit
        notes.append(f"{len(alive) - LINEUP} more take {amount(rest)}")
    return notes


def _describe(loc: MemoryLocation, size: int, unit: int) -> str:
    where = f", made at line {loc.loc.line}" if loc.loc.line else ""
    taken = f" takes {size} PSUM bank{'s' if size > 1 else ''} with its" if unit > 1 else " takes"
    return f"`{loc.name}`{taken} {amount(loc.row_bytes)}{where}"


def _overflow(items: list[Item], capacity: int) -> int | None:
    """First position at which more units are live than there are; None if there is none."""
    change: dict[int, int] = {}
    for item in items:
        change[item.start] = change.get(item.start, 0) + item.size
        change[item.end + 1] = change.get(item.end + 1, 0) - item.size
    shared = any(item.fixed for item in items)
    total = 0
    for position in sorted(change):
        total += change[position]
        if total > capacity and (not shared or _occupied(_alive(items, position)) > capacity):
            return position
    return None


def _alive(items: list[Item], position: int) -> list[Item]:
    return [item for item in items if item.start <= position <= item.end]


def _occupied(alive: list[Item]) -> int:
    """Units that items occupy together: fixed ones may share theirs."""
    total = sum(item.size for item in alive if not item.fixed)
    end = 0
    for low, high in sorted(
        ((i.address or 0), (i.address or 0) + i.size) for i in alive if i.fixed
    ):
        total += max(0, high - max(low, end))
        end = max(end, high)
    return total
