"""Who used which bytes of a storage that the cores of a launch share, to find races.

Two cores race for a byte if one wrote it and the other used it and nothing ordered the two: then
either may come first on a device. Writing what is there already is no race.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opennki.base.loc import SrcLoc

Array = NDArray[Any]
Marks = NDArray[np.uint8]

FULL: Final = {1: 0x01, 2: 0x0101, 4: 0x01010101, 8: 0x0101010101010101}
"""Mark of an element, by its width, all of whose bytes were written."""


class Marked(NamedTuple):
    """Which of a storage's marks, one a byte, belong to the elements of a view; bytes."""

    offset: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    width: int

    def of(self, marks: Marks) -> Array:
        """The marks of every element as one number; shares memory with `marks`."""
        return np.ndarray(self.shape, f"u{self.width}", marks, self.offset, self.steps)


class Uses:
    """Since their uses were last ordered: which bytes each core wrote, and which it read.

    Attributes: wrote, core -> marks of its bytes: 1 where it wrote and 3 where it changed
    something; read, 1 where it read; told, lines whose races were told.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.wrote: dict[int, Marks] = {}
        self.read: dict[int, Marks] = {}
        self.told: set[SrcLoc] = set()

    def unordered_read(self, core: int, view: Marked) -> Array | None:
        """Which elements another core wrote and this one did not; None if there are none."""
        return self._others(self.wrote, core, view, 0)

    def unordered_write(self, core: int, view: Marked) -> tuple[Array | None, Array | None]:
        """Which elements another core wrote, and which it read, that this one left unchanged."""
        return self._others(self.wrote, core, view, 1), self._others(self.read, core, view, 1)

    def _others(self, used: dict[int, Marks], core: int, view: Marked, bit: int) -> Array | None:
        theirs = [view.of(marks) for other, marks in used.items() if other != core]
        if not theirs:
            return None
        kind = theirs[0].dtype.type
        marks = theirs[0] if len(theirs) == 1 else np.bitwise_or.reduce(theirs)
        if core in self.wrote:
            marks = marks & ~(view.of(self.wrote[core]) >> kind(bit))
        found: Array = (marks & kind(FULL[view.width])) != 0
        return found if found.any() else None

    def note_read(self, core: int, view: Marked, where: Array | bool = True) -> None:
        """A core reads these elements, or those of them that `where` marks."""
        marks = view.of(self._marks(self.read, core))
        np.copyto(marks, marks.dtype.type(FULL[view.width]), where=where)

    def note_write(self, core: int, view: Marked, where: Array, changed: Array) -> None:
        """A core writes the elements `where`; those not `changed` are what they were."""
        marks = view.of(self._marks(self.wrote, core))
        full = FULL[view.width]
        values = np.where(changed, 3 * full, full).astype(marks.dtype)
        np.copyto(marks, marks | values, where=where)

    def _marks(self, used: dict[int, Marks], core: int) -> Marks:
        found = used.get(core)
        if found is None:
            found = used[core] = np.zeros(self.size, np.uint8)
        return found

    def forget(self, views: Collection[Marked]) -> None:
        """All uses so far of what is in every one of `views` come before all later ones."""
        kept = np.zeros(self.size, np.uint8)
        for view in views:
            outside = np.ones(self.size, np.uint8)
            view.of(outside)[...] = 0
            kept |= outside
        kept *= 0xFF
        for used in (self.wrote, self.read):
            for marks in used.values():
                marks &= kept

    def remark(self, old: int, new: int) -> None:
        """An element now takes `new` bytes instead of `old`."""
        self.size = self.size // old * new
        for used in (self.wrote, self.read):
            used.update({core: remarked(marks, old, new) for core, marks in used.items()})


def remarked(marks: Marks, old: int, new: int) -> Marks:
    """`marks` of elements of `old` bytes as those of elements of `new` bytes."""
    return np.repeat(marks.reshape(-1, old)[:, 0], new)
