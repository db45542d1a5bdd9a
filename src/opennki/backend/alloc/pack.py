"""Finds addresses for things with a size and a life, so that no two share bytes while both live.

Knows nothing of memories: SBUF packs bytes, PSUM packs banks. Three ways are tried in turn:

1. in order of time, *rotating* through the memory: a place is reused as late as possible, so that
   the next tile need not wait for the last reader of the previous one;
2. in order of time, lowest address first, which leaves fewer gaps;
3. in order of size, largest first, at the lowest address that is free for the whole life.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

import numpy as np

BY_SIZE: Final = 20_000
"""Items up to which the third way is tried: it compares every item with every other one."""


class Item:
    """Something to place: size and align, in units; life, inclusive; address once it is known.

    `fixed` items have an address from the start and are left where they are.
    """

    __slots__ = ("address", "align", "end", "fixed", "owner", "size", "start", "tight")

    def __init__(
        self, owner: object, size: int, life: tuple[int, int], address: int | None = None,
        align: int = 1, tight: int = 1,
    ) -> None:  # fmt: skip
        self.owner = owner
        self.size = size
        self.start, self.end = life
        self.address = address
        self.fixed = address is not None
        self.align = align
        self.tight = tight


@dataclass(frozen=True)
class Failure:
    """What could not be placed when every way failed: free units at its start, and largest gap."""

    item: Item
    free: int
    gap: int


class FreeSpace:
    """The free intervals of ``[0, capacity)``."""

    __slots__ = ("ends", "starts")

    def __init__(self, capacity: int) -> None:
        self.starts = [0] if capacity else []
        self.ends = [capacity] if capacity else []

    def find(
        self, size: int, align: int, cursor: int = 0, blocked: Sequence[tuple[int, int]] = ()
    ) -> int | None:
        """First address from `cursor` on, then from 0 on, where `size` units are free.

        Args: blocked, intervals that count as taken, sorted.
        """
        starts, ends = self.starts, self.ends
        first = max(0, bisect_right(starts, cursor) - 1)
        count = len(starts)
        for turn in range(first, first + count + 1):
            index = turn % count
            low, high = starts[index], ends[index]
            if turn == first and low < cursor:
                low = cursor
            if high - low >= size:
                address = _gap(low, high, size, align, blocked)
                if address is not None:
                    return address
        return None

    def take(self, low: int, high: int) -> None:
        """Remove ``[low, high)``, whatever of it is free."""
        starts, ends = self.starts, self.ends
        first = bisect_right(ends, low)
        last = bisect_left(starts, high)
        if first >= last:
            return
        left, right = starts[first], ends[last - 1]
        new = [(a, b) for a, b in ((left, low), (high, right)) if a < b]
        starts[first:last] = [a for a, _ in new]
        ends[first:last] = [b for _, b in new]

    def give(self, low: int, high: int) -> None:
        """Make ``[low, high)`` free again."""
        starts, ends = self.starts, self.ends
        first = bisect_left(ends, low)
        last = bisect_right(starts, high)
        if first < last:
            low, high = min(low, starts[first]), max(high, ends[last - 1])
        starts[first:last] = [low]
        ends[first:last] = [high]

    def largest(self) -> int:
        """Size of the largest free interval."""
        return max((b - a for a, b in zip(self.starts, self.ends, strict=True)), default=0)

    def total(self) -> int:
        """Free units in all."""
        return sum(self.ends) - sum(self.starts)


def _gap(
    low: int, high: int, size: int, align: int, blocked: Sequence[tuple[int, int]]
) -> int | None:
    """Lowest aligned address in ``[low, high)`` with `size` units outside of `blocked`."""
    address = -(-low // align) * align
    for start, end in blocked:
        if address + size <= start:
            break
        if end > address:
            address = -(-end // align) * align
    return address if address + size <= high else None


def pack(items: Iterable[Item], capacity: int) -> Failure | None:
    """Give every item an address below `capacity`; None when all fit.

    Args: items, in order of their start. On failure no address is given.
    """
    items = list(items)
    loose = [item for item in items if not item.fixed]
    fixed = [item for item in items if item.fixed]
    if not loose or _in_order(loose, fixed, capacity, rotate=True) is None:
        return None
    failure = _in_order(loose, fixed, capacity, rotate=False)
    if failure is None or (len(items) <= BY_SIZE and _by_size(loose, fixed, capacity)):
        return None
    for item in loose:
        item.address = None
    return failure


def _in_order(
    loose: list[Item], fixed: list[Item], capacity: int, *, rotate: bool
) -> Failure | None:
    """Place items in order of time; None if all fit."""
    free = FreeSpace(capacity)
    ending: list[tuple[int, int, int]] = []
    cursor = 0
    waiting = _Fixed(fixed)
    for item in loose:
        while ending and ending[0][0] < item.start:
            _, low, high = heappop(ending)
            free.give(low, high)
        blocked = waiting.during(item) if fixed else ()
        align = item.align if rotate else item.tight
        address = free.find(item.size, align, cursor, blocked) if free.starts else None
        if address is None:
            for low, high in blocked:
                free.take(low, high)
            return Failure(item, free.total(), free.largest())
        item.address = address
        end = address + item.size
        free.take(address, end)
        heappush(ending, (item.end, address, end))
        if rotate:
            cursor = end if end < capacity else 0
    return None


class _Fixed:
    """Items that are fixed, asked for in order of time."""

    def __init__(self, fixed: list[Item]) -> None:
        self._coming = sorted(fixed, key=lambda item: -item.start)
        self._live: list[Item] = []

    def during(self, item: Item) -> list[tuple[int, int]]:
        """Intervals that fixed items occupy while `item` lives, sorted."""
        coming = self._coming
        while coming and coming[-1].start <= item.end:
            self._live.append(coming.pop())
        self._live = [f for f in self._live if f.end >= item.start]
        return sorted(
            (f.address or 0, (f.address or 0) + f.size) for f in self._live if f.start <= item.end
        )


def _by_size(loose: list[Item], fixed: list[Item], capacity: int) -> bool:
    """Place the largest items first; whether all fit."""
    count = len(loose) + len(fixed)
    start, end, low, high = (np.zeros(count, np.int64) for _ in range(4))
    ordered = (*fixed, *sorted(loose, key=lambda i: (-i.size, i.start)))
    for placed, item in enumerate(ordered):
        if not item.fixed:
            near = (start[:placed] <= item.end) & (end[:placed] >= item.start)
            blocked = sorted(
                zip(low[:placed][near].tolist(), high[:placed][near].tolist(), strict=True)
            )
            item.address = _gap(0, capacity, item.size, item.tight, blocked)
            if item.address is None:
                return False
        address = item.address or 0
        start[placed], end[placed] = item.start, item.end
        low[placed], high[placed] = address, address + item.size
    return True
