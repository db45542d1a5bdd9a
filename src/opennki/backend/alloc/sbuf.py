"""Places the storages of SBUF: an address, the same in every partition.

An author's address is kept, and the bytes behind it are left free while that storage lives. A
storage takes its bytes in all 128 partitions, whatever its own number of them (Model: two tiles of
64 partitions could share bytes, but engines reach only quarters and halves of the partitions, and
a tile's first partition is part of what its instructions were checked against).

Addresses are multiples of the next power of two of a storage's bytes, at least 4 and at most 64;
when space is short, of the element size and 4. Model: 4 is the unit of memory accesses on all
engines; 64 bytes keep equal tiles at equal phases, which leaves fewer gaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from opennki.base.diag import Diagnostic
from opennki.birpy import MemoryType
from opennki.target import Target

from .liveness import Liveness
from .pack import Item, pack
from .room import no_room, park, storages

MIN_ALIGN: Final = 4
MAX_ALIGN: Final = 64


def place_sbuf(live: Liveness, t: Target) -> Iterator[Diagnostic]:
    """Set `address` of every SBUF storage that has none. Yields NKI5002 or NKI5006."""
    items = []
    for loc, life in storages(live, MemoryType.SB):
        size = max(loc.row_bytes, 1)
        tight = max(MIN_ALIGN, loc.dtype.itemsize)
        align = max(tight, min(MAX_ALIGN, 1 << (size - 1).bit_length()))
        items.append(Item(loc, size, life, loc.address, align, tight))
    failure = pack(items, t.sbuf_bytes)
    if failure is None:
        for item in items:
            item.owner.address = item.address  # type: ignore[attr-defined]  # owners are storages
        park(live, MemoryType.SB)
    else:
        yield no_room(failure, items, live, t, 1)
