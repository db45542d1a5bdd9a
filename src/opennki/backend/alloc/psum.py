"""Places the storages of PSUM: whole banks, from the start of a bank, alike in all partitions."""

from __future__ import annotations

from collections.abc import Iterator

from opennki.base.codes import NKI5005
from opennki.base.diag import Diagnostic, diagnostic, problem
from opennki.birpy import MemoryType
from opennki.target import Target

from .liveness import Liveness
from .pack import Item, pack
from .room import no_room, park, storages


def place_psum(live: Liveness, t: Target) -> Iterator[Diagnostic]:
    """Set `bank` and `address` of every PSUM storage: whole banks, from the start of a bank.

    Yields NKI5005 for a storage that all of PSUM cannot hold, NKI5002 or NKI5006.
    """
    bank = t.psum_bank_bytes
    items = []
    for loc, life in storages(live, MemoryType.PSUM):
        if loc.row_bytes > t.psum_bytes:
            facts = problem(NKI5005, name=loc.name, bytes=loc.row_bytes, bank=bank)
            yield diagnostic(facts, loc.loc)
            continue
        first = None if loc.address is None else loc.address // bank
        begin = (loc.address or 0) % bank
        items.append(Item(loc, max(1, -(-(begin + loc.row_bytes) // bank)), life, first))
    failure = pack(items, t.psum_banks)
    if failure is not None:
        yield no_room(failure, items, live, t, bank)
        return
    for item in items:
        loc = item.owner  # type: ignore[assignment]  # owners are storages
        loc.bank = item.address
        if loc.address is None:
            loc.address = (item.address or 0) * bank
    park(live, MemoryType.PSUM)
