"""Storages as dependence analysis sees them: which share bytes, and whose place each one takes.

Storages whose bytes overlap while both are live (only an author's addresses can do that) share one
`RegionTable`, so that an access to one is an access to the other. A storage that takes the place of
dead ones must wait until those are finished with: its first access of each region follows the
latest access that each track made to any of them. That is coarser than bytes, since a tile that
inherits part of another one's place waits for all of it; it keeps the cost per tile constant.
"""

from __future__ import annotations

from collections.abc import Sequence

from opennki.backend.ownership import Ownership
from opennki.birpy import AccessPattern, Instruction, MemoryLocation, MemoryType

from .footprint import INDIRECT, footprint, whole
from .regions import Latest, Region, RegionTable

Key = tuple[object, object, object]


class Group:
    """Storages that share bytes while they are live, nearly always a single one.

    Attributes: tiles; table of their regions, while it is needed; end, last instruction that
    touches one of them; heirs, how many tiles that take a place of theirs have yet to ask what to
    wait for.
    """

    __slots__ = ("_final", "end", "heirs", "table", "tiles")

    def __init__(self, tile: Tile) -> None:
        self.tiles = [tile]
        self.table: RegionTable | None = None
        self.end = tile.end
        self.heirs = 0
        self._final: Latest | None = None

    def finish(self, now: int) -> Latest:
        """For each track, the latest access to a storage of this group before instruction `now`."""
        found = self._final
        if found is None:
            found = self.table.latest() if self.table is not None else {}
            for tile in self.tiles:
                merge(found, tile.inherited)
            if self.end < now:
                self._final = found
        self.heirs -= 1
        if not self.heirs and self.end < now:  # nobody will ask again
            self.table = self._final = None
            for tile in self.tiles:
                tile.known = tile.inherited = None
        return found


class Tile:
    """One storage.

    Attributes: start and end, first and last instruction that touches it; group; former, the
    storages whose place it takes; inherited, what its first accesses have to wait for; known, its
    regions by what an operand says about them.
    """

    __slots__ = ("end", "former", "group", "inherited", "known", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.former: list[Tile] = []
        self.inherited: Latest | None = None
        self.known: dict[Key, Region] | None = None
        self.group: Group

    def open(self, key: Key, arg: AccessPattern, opcode: str, tracks: Sequence[int]) -> Region:
        """The region of an operand that is met for the first time.

        Args: tracks, track of every instruction.
        """
        known = self.known
        if known is None:
            known = self.known = {}
            if self.former:
                self._inherit()
        table = self.group.table
        if table is None:
            table = self.group.table = RegionTable(tracks, _pitch(arg.memloc))
        if (
            opcode in INDIRECT or arg.index is not None
        ):  # not remembered: `key` tells others nothing
            return table.region(whole(arg.memloc))
        region = known[key] = table.region(footprint(arg))
        return region

    def _inherit(self) -> None:
        inherited: Latest = {}
        for tile in self.former:
            if tile.group is self.group:
                merge(inherited, tile.inherited)
            else:
                merge(inherited, tile.group.finish(self.start))
        self.inherited = inherited
        self.former = []


def _pitch(loc: MemoryLocation) -> int:
    """Bytes after which the index of regions starts a new row: 0 on chip."""
    if loc.on_chip:
        return 0
    size = loc.dtype.itemsize
    return (loc.shape[-1] * size if len(loc.shape) > 1 else loc.size_bytes) or 1


def merge(into: Latest, more: Latest | None) -> None:
    """Keep the later instruction of each track."""
    for track, node in (more or {}).items():
        if node > into.get(track, -1):
            into[track] = node


Indices = dict[int, tuple[AccessPattern, ...]]
"""Instruction -> where it reads run-time indices."""


def tiles_of(instructions: Sequence[Instruction]) -> tuple[dict[MemoryLocation, Tile], Indices]:
    """The tile of every storage that `instructions` touch, in order of the first touch.

    Also returns where those that have run-time indices read them.
    """
    tiles: dict[MemoryLocation, Tile] = {}
    indices: Indices = {}
    get = tiles.get
    for node, inst in enumerate(instructions):
        for args in (inst.outs, inst.ins):
            for arg in args:
                if arg.__class__ is AccessPattern:
                    tile = get(arg.memloc)
                    if tile is None:
                        tiles[arg.memloc] = Tile(node)
                    else:
                        tile.end = node
                    if arg.index is not None:
                        indices[node] = tuple(inst.indices())
        for arg in indices.get(node, ()) if indices else ():
            tiles.setdefault(arg.memloc, Tile(node)).end = node
    maps: dict[MemoryType, Ownership[Tile]] = {}
    for loc, tile in tiles.items():
        tile.group = Group(tile)
        if loc.on_chip:
            _settle(tile, loc, maps.setdefault(loc.type, Ownership()))
    return tiles, indices


def _settle(tile: Tile, loc: MemoryLocation, owners: Ownership[Tile]) -> None:
    """Take the place of `loc`; join the group of those that are live, follow those that are not."""
    now = tile.start
    place = whole(loc)
    for other in owners.take(place[:4], tile, lambda holder: holder.end >= now):
        if other.end >= now and other.group is not tile.group:
            _join(other.group, tile.group)
        tile.former.append(other)
    for other in tile.former:
        if other.group is not tile.group:
            other.group.heirs += 1


def _join(first: Group, second: Group) -> None:
    """Make one group of two, before either has any region."""
    if len(first.tiles) < len(second.tiles):
        first, second = second, first
    first.tiles += second.tiles
    first.end = max(first.end, second.end)
    first.heirs += second.heirs
    for tile in second.tiles:
        tile.group = first
