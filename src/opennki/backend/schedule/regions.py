"""The regions of one storage that instructions touch, who touched them last, and which overlap.

Instructions touch few distinct regions many times, so overlaps are decided once per pair of regions
and an access costs no search. Of two regions that overlap the smaller one does the work: an access
to it reads the state of the larger ones and leaves a note with them. So an access to a whole tile
costs the same however many columns of it are accessed alone.

Notes are kept per track (see `engines`): whatever a track does completes in order, hence waiting
for its latest access is waiting for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .footprint import Footprint, overlap

Latest = dict[int, int]
"""Latest instruction of each track."""

MAX_LARGER: Final = 48
"""Larger regions that one region may overlap; then it is taken for the whole storage."""

FEW: Final = 16
"""Regions that are searched one by one before an index is made."""

MAX_CELLS: Final = 16
"""Cells of the index that a region may touch; a larger one is compared with every region."""

EFFORT: Final = 24
"""Comparisons per region, on average, that a storage may cost before it is taken as a whole."""

TOO_MUCH: Final = 10_000
"""Comparisons that it may cost beyond that average."""


class Region:
    """A footprint and its accesses.

    Attributes: fp; size; larger, overlapping regions of at least its size; write, latest
    instruction that wrote exactly this, or -1; reads, those that read it since; small_writes and
    small_reads, those that touched a smaller overlapping region since.
    """

    __slots__ = ("fp", "larger", "reads", "size", "small_reads", "small_writes", "write")

    def __init__(self, fp: Footprint, size: int) -> None:
        self.fp = fp
        self.size = size
        self.larger: tuple[Region, ...] = ()
        self.write = -1
        self.reads: Latest | None = None
        self.small_writes: Latest | None = None
        self.small_reads: Latest | None = None

    def inherit(self, small: Region, tracks: Sequence[int]) -> None:
        """Learn what happened to a smaller overlapping region before this one was known."""
        if small.write >= 0:
            self.small_writes = _noted(self.small_writes, tracks[small.write], small.write)
        for track, node in (small.reads or {}).items():
            self.small_reads = _noted(self.small_reads, track, node)


def _noted(latest: Latest | None, track: int, node: int) -> Latest:
    if latest is None:
        return {track: node}
    if node > latest.get(track, -1):
        latest[track] = node
    return latest


class RegionTable:
    """All regions of one storage, or of several that share bytes while they are live.

    Args: tracks, track of each instruction; pitch, bytes after which the index starts a new row
        (DRAM: bytes of the last dimension), 0 on chip, where rows are partitions.
    """

    __slots__ = ("_cells", "_effort", "_grid", "_indexed", "_long", "_pitch", "_tracks", "_whole",
                 "regions")  # fmt: skip

    def __init__(self, tracks: Sequence[int], pitch: int) -> None:
        self.regions: dict[Footprint, Region] = {}
        self._tracks = tracks
        self._pitch = pitch
        self._grid = (0, 0)
        self._cells: dict[tuple[int, int], list[Region]] | None = None
        self._long: list[Region] | None = None
        self._indexed = 0
        self._effort = 0
        self._whole: Region | None = None

    def region(self, fp: Footprint) -> Region:
        """The region with footprint `fp`; the whole storage if telling them apart costs too much.

        Taking a region for the whole storage adds order that is not needed, never removes any.
        """
        found = self.regions.get(fp)
        if found is not None:
            return found
        size = fp.size
        region = Region(fp, size)
        if not self.regions:
            self.regions[fp] = region
            return region
        larger: list[Region] = [] if self._whole is None else [self._whole]
        smaller: list[Region] = []
        near = self.regions.values() if self._cells is None else self._near(fp)
        tried = 0
        for other in near:
            tried += 1
            if overlap(fp, other.fp):
                (larger if other.size >= size else smaller).append(other)
        self._effort += tried - EFFORT
        if (
            self._effort > TOO_MUCH
            or len(larger) > MAX_LARGER
            or (smaller and max([len(s.larger) for s in smaller]) > MAX_LARGER)
        ):
            found = self.regions[fp] = self._everything()
            return found
        if larger:
            region.larger = tuple(larger)
        for small in smaller:
            small.larger += (region,)
            region.inherit(small, self._tracks)
        self.regions[fp] = region
        if len(self.regions) > FEW:
            self._add(region)
        return region

    def latest(self) -> Latest:
        """For each track, its latest access to any region that later accesses must follow."""
        found: Latest = {}
        tracks = self._tracks
        for region in self.regions.values():
            node = region.write
            if node >= 0 and node > found.get(tracks[node], -1):
                found[tracks[node]] = node
            if region.reads:
                for track, node in region.reads.items():
                    if node > found.get(track, -1):
                        found[track] = node
        return found

    def _everything(self) -> Region:
        """The region that stands for the whole storage."""
        if self._whole is None:
            whole = Region(Footprint(0, 0, 0, 0, 0, ()), 1 << 62)
            for region in self.regions.values():
                region.larger += (whole,)
                whole.inherit(region, self._tracks)
            self._whole = whole
        return self._whole

    def _near(self, fp: Footprint) -> Iterator[Region]:
        """Regions that may overlap `fp`, each once, by the index."""
        index = self._cells or {}
        yield from self._long or ()
        cells = self._cells_of(fp)
        if cells is None:
            seen = set()
            for found in index.values():
                for region in found:
                    if id(region) not in seen:
                        seen.add(id(region))
                        yield region
        elif len(cells) == 1:
            yield from index.get(cells[0], ())
        else:
            near = {id(r): r for cell in cells for r in index.get(cell, ())}
            yield from near.values()

    def _rectangle(self, fp: Footprint) -> tuple[int, int, int, int]:
        """First row, last row, first column, last column of the hull."""
        pitch = self._pitch
        if not pitch:
            return fp.p0, fp.p1 - 1, fp.lo, fp.hi - 1
        row, last = fp.lo // pitch, (fp.hi - 1) // pitch
        if row == last:
            return row, row, fp.lo % pitch, (fp.hi - 1) % pitch
        across = [level for level in fp.levels if level[0] % pitch]
        span = fp.width + sum(step * (count - 1) for step, count in across)
        column = fp.lo % pitch
        if column + span <= pitch:
            return row, last, column, column + span - 1
        return row, last, 0, pitch - 1

    def _cells_of(self, fp: Footprint) -> list[tuple[int, int]] | None:
        """Cells that a footprint touches; None if they are too many."""
        row, last_row, column, last_column = self._rectangle(fp)
        height, width = self._grid
        rows = range(row // height, last_row // height + 1)
        columns = range(column // width, last_column // width + 1)
        if len(rows) * len(columns) > MAX_CELLS:
            return None
        return [(r, c) for r in rows for c in columns]

    def _add(self, region: Region) -> None:
        """Put a region into the index; make a new one whenever the regions have doubled."""
        if self._cells is None or self._long is None or len(self.regions) >= 2 * self._indexed:
            self._reindex()
        else:
            self._file(region, self._cells, self._long)

    def _file(
        self,
        region: Region,
        index: dict[tuple[int, int], list[Region]],
        long: list[Region],
    ) -> None:
        cells = self._cells_of(region.fp)
        if cells is None:
            long.append(region)
        else:
            for cell in cells:
                index.setdefault(cell, []).append(region)

    def _reindex(self) -> None:
        """Choose the cell size anew: the median height and width of what is there."""
        known = [r for r in self.regions.values() if r is not self._whole]
        sizes = [self._rectangle(r.fp) for r in known]
        middle = len(known) // 2
        height = sorted(last - row + 1 for row, last, _, _ in sizes)[middle]
        width = sorted(last - column + 1 for _, _, column, last in sizes)[middle]
        self._grid = max(1, height), max(1, width)
        self._indexed = len(self.regions)
        index: dict[tuple[int, int], list[Region]] = {}
        long: list[Region] = []
        self._cells, self._long = index, long
        for region in known:
            self._file(region, index, long)
