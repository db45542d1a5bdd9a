"""What SBUF and PSUM have in common: which storages to place, and what to say without room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from opennki.base.codes import NKI5002, NKI5006
from opennki.base.diag import Diagnostic, diagnostic, problem
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
    """Why the items do not fit: too much is live at one time, or no gap is large enough."""
    loc: MemoryLocation = failure.item.owner  # type: ignore[assignment]  # owners are storages
    space = "SBUF" if loc.type is MemoryType.SB else "PSUM"
    capacity = t.sbuf_bytes if loc.type is MemoryType.SB else t.psum_bytes
    position = _fullest(items)
    alive = [item for item in items if item.start <= position <= item.end]
    need = unit * _occupied(alive)
    if need <= capacity:
        facts = problem(
            NKI5006, name=loc.name, bytes=failure.item.size * unit, free=failure.free * unit,
            space=space, gap=failure.gap * unit,
        )  # fmt: skip
        return diagnostic(facts, loc.loc)
    alive.sort(key=lambda item: (-item.size, item.start))
    lineup = [_describe(item.owner, item.size * unit) for item in alive[:LINEUP]]  # type: ignore[arg-type]
    if len(alive) > LINEUP:
        lineup.append(f"{len(alive) - LINEUP} more")
    facts = problem(
        NKI5002, need=need, capacity=capacity, space=space, target=t.name, lineup=lineup
    )
    return diagnostic(facts, live.at(position).loc)


def _describe(loc: MemoryLocation, size: int) -> str:
    where = f", line {loc.loc.line}" if loc.loc.line else ""
    return f"`{loc.name}` ({size} bytes{where})"


def _fullest(items: list[Item]) -> int:
    """Position at which the sum of the sizes is largest."""
    change: dict[int, int] = {}
    for item in items:
        change[item.start] = change.get(item.start, 0) + item.size
        change[item.end + 1] = change.get(item.end + 1, 0) - item.size
    total = most = where = 0
    for position in sorted(change):
        total += change[position]
        if total > most:
            most, where = total, position
    return where


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
