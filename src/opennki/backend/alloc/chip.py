"""Places the storages of SBUF and PSUM: addresses in every partition, and PSUM banks.

An author's address is kept, and the bytes behind it are left free while that storage lives. A
storage takes its bytes in all 128 partitions, whatever its own number of them (Model: two tiles of
64 partitions could share bytes, but engines reach only quarters and halves of the partitions, and
a tile's first partition is part of what its instructions were checked against).

Addresses are multiples of the next power of two of a storage's bytes, at least 4 and at most 64;
when space is short, of the element size and 4. Model: 4 is the unit of memory accesses on all
engines; 64 bytes keep equal tiles at equal phases, which leaves fewer gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from opennki.base.codes import NKI5002, NKI5005, NKI5006
from opennki.base.diag import Diagnostic, diagnostic, problem
from opennki.birpy import MemoryLocation, MemoryType
from opennki.target import Target

from .liveness import Liveness
from .pack import Failure, Item, pack

MIN_ALIGN: Final = 4
MAX_ALIGN: Final = 64
LINEUP: Final = 6
"""Storages that a message about missing space names."""


def place_sbuf(live: Liveness, t: Target) -> Iterator[Diagnostic]:
    """Set `address` of every SBUF storage that has none. Yields NKI5002 or NKI5006."""
    items = []
    for loc, life in _storages(live, MemoryType.SB):
        size = max(loc.row_bytes, 1)
        tight = max(MIN_ALIGN, loc.dtype.itemsize)
        align = max(tight, min(MAX_ALIGN, 1 << (size - 1).bit_length()))
        items.append(Item(loc, size, life, loc.address, align, tight))
    failure = pack(items, t.sbuf_bytes)
    if failure is None:
        for item in items:
            item.owner.address = item.address  # type: ignore[attr-defined]  # owners are storages
        _park(live, MemoryType.SB)
    else:
        yield _no_room(failure, items, live, t, 1)


def place_psum(live: Liveness, t: Target) -> Iterator[Diagnostic]:
    """Set `bank` and `address` of every PSUM storage: whole banks, from the start of a bank.

    Yields NKI5005 for a storage that all of PSUM cannot hold, NKI5002 or NKI5006.
    """
    bank = t.psum_bank_bytes
    items = []
    for loc, life in _storages(live, MemoryType.PSUM):
        if loc.row_bytes > t.psum_bytes:
            facts = problem(NKI5005, name=loc.name, bytes=loc.row_bytes, bank=bank)
            yield diagnostic(facts, loc.loc)
            continue
        first = None if loc.address is None else loc.address // bank
        begin = (loc.address or 0) % bank
        items.append(Item(loc, max(1, -(-(begin + loc.row_bytes) // bank)), life, first))
    failure = pack(items, t.psum_banks)
    if failure is not None:
        yield _no_room(failure, items, live, t, bank)
        return
    for item in items:
        loc = item.owner  # type: ignore[assignment]  # owners are storages
        loc.bank = item.address
        if loc.address is None:
            loc.address = (item.address or 0) * bank
    _park(live, MemoryType.PSUM)


def _storages(
    live: Liveness, space: MemoryType
) -> Iterable[tuple[MemoryLocation, tuple[int, int]]]:
    """Storages of a memory with their lives, in order of time."""
    found = [(loc, life) for loc, life in live.lives.items() if loc.type is space]
    return sorted(found, key=lambda pair: pair[1][0])


def _park(live: Liveness, space: MemoryType) -> None:
    """Give storages that nothing uses the address 0: they occupy nothing."""
    for loc in live.function.memlocs.values():
        if loc.type is space and loc not in live.lives:
            if loc.address is None:
                loc.address = 0
            if space is MemoryType.PSUM:
                loc.bank = 0


def _no_room(
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
