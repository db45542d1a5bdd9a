"""Who occupies which bytes of a memory as the program goes on: a map from bytes to storages.

Used to find storages that share bytes while both are live, and those whose place another takes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Holding = tuple[int, int, T]
"""Partitions ``[p0, p1)`` and their holder."""


class Ownership(Generic[T]):
    """Holders of the bytes ``[0, infinity)`` of every partition.

    The bytes are cut into segments; each has the holders of its partitions.
    """

    __slots__ = ("_holders", "_starts")

    def __init__(self) -> None:
        self._starts = [0]
        self._holders: list[tuple[Holding[T], ...]] = [()]

    def take(
        self,
        place: tuple[int, int, int, int],
        holder: T,
        alive: Callable[[T], bool],
    ) -> list[T]:
        """Give `place` (first and end partition, first and end byte) to `holder`.

        Returns: who held a part of it, in order of address. Those that are `alive` keep what they
        hold beside the new holder.
        """
        p0, p1, lo, hi = place
        starts, holders = self._starts, self._holders
        first = self._cut(lo)
        end = self._cut(hi)
        found: dict[T, bool] = {}
        plain = True
        for index in range(first, end):
            held = holders[index]
            kept: list[Holding[T]] = [(p0, p1, holder)]
            for q0, q1, other in held:
                if q0 >= p1 or p0 >= q1:
                    kept.append((q0, q1, other))
                    continue
                keeps = found.get(other)
                if keeps is None:
                    keeps = found[other] = alive(other)
                if keeps:
                    kept.append((q0, q1, other))
                else:
                    if q0 < p0:
                        kept.append((q0, p0, other))
                    if p1 < q1:
                        kept.append((p1, q1, other))
            plain = plain and len(kept) == 1
            holders[index] = tuple(kept)
        if plain and end - first > 1:
            del starts[first + 1 : end]
            del holders[first + 1 : end]
        return list(found)

    def _cut(self, byte: int) -> int:
        """Index of the segment that starts at `byte`, which is made if need be."""
        starts = self._starts
        index = bisect_left(starts, byte)
        if index == len(starts) or starts[index] != byte:
            starts.insert(index, byte)
            self._holders.insert(index, self._holders[index - 1])
        return index
