"""How full SBUF and PSUM are: the peak, what is alive there, and how often each bank is used."""

from __future__ import annotations

from dataclasses import dataclass

from opennki.birpy import Function, MemoryLocation, MemoryType
from opennki.target import Target

from .liveness import Liveness, liveness


@dataclass(frozen=True)
class Alive:
    """A storage that is alive at the peak: bytes per partition, place, and source line."""

    name: str
    bytes: int
    address: int
    where: str


@dataclass(frozen=True)
class Occupancy:
    """Use of one memory by one function.

    Attributes: space; capacity and peak, bytes per partition; at, name of the instruction where
    the peak is; alive there, largest first; banks, for PSUM how many storages each bank holds over
    time (empty for SBUF).
    """

    space: str
    capacity: int
    peak: int
    at: str
    alive: tuple[Alive, ...]
    banks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Report:
    """Occupancy of the on-chip memories by one function."""

    function: str
    sbuf: Occupancy
    psum: Occupancy

    def render(self) -> str:
        """The report as plain text."""
        lines = [f"memory of {self.function}"]
        for use in (self.sbuf, self.psum):
            percent = 100 * use.peak / use.capacity
            at = f" at {use.at}" if use.at else ""
            lines.append(
                f"  {use.space}: {use.peak} of {use.capacity} bytes per partition"
                f" ({percent:.1f} %){at}"
            )
            for one in use.alive:
                where = f"  {one.where}" if one.where else ""
                lines.append(f"    {one.address:>7} {one.bytes:>7}  {one.name}{where}")
            if use.banks:
                used = ", ".join(f"{bank}: {n}" for bank, n in enumerate(use.banks))
                lines.append(f"    tensors per bank: {used}")
        return "\n".join(lines) + "\n"


def occupancy(function: Function, t: Target) -> Report:
    """The report for an allocated function (rolled or flat)."""
    live = liveness(function)
    return Report(
        function.name,
        _use(live, MemoryType.SB, "SBUF", t.sbuf_bytes),
        _use(live, MemoryType.PSUM, "PSUM", t.psum_bytes, t),
    )


def _use(
    live: Liveness, space: MemoryType, name: str, capacity: int, banked: Target | None = None
) -> Occupancy:
    mine = {loc: life for loc, life in live.lives.items() if loc.type is space}
    change: dict[int, list[MemoryLocation]] = {}
    for loc, (start, end) in mine.items():
        change.setdefault(start, []).append(loc)
        change.setdefault(end + 1, []).append(loc)
    total = peak = where = 0
    for position in sorted(change):
        for loc in change[position]:
            size = _taken(loc, banked)
            total += size if mine[loc][0] == position else -size
        if total > peak:
            peak, where = total, position
    alive = [loc for loc, (start, end) in mine.items() if start <= where <= end]
    alive.sort(key=lambda loc: (-_taken(loc, banked), loc.address or 0))
    return Occupancy(
        name, capacity, peak, live.at(where).name if mine else "",
        tuple(Alive(m.name, _taken(m, banked), m.address or 0, _where(m)) for m in alive),
        _banks(mine, banked) if banked else (),
    )  # fmt: skip


def _taken(loc: MemoryLocation, banked: Target | None) -> int:
    """Bytes per partition that a storage occupies: whole banks in PSUM."""
    if banked is None:
        return loc.row_bytes
    bank = banked.psum_bank_bytes
    return max(1, -(-loc.row_bytes // bank)) * bank


def _banks(mine: dict[MemoryLocation, tuple[int, int]], t: Target) -> tuple[int, ...]:
    counts = [0] * t.psum_banks
    for loc in mine:
        first = (loc.address or 0) // t.psum_bank_bytes
        for bank in range(first, first + _taken(loc, t) // t.psum_bank_bytes):
            counts[bank] += 1
    return tuple(counts)


def _where(loc: MemoryLocation) -> str:
    if not loc.loc.line:
        return ""
    return f"{loc.loc.file.replace(chr(92), '/').rpartition('/')[2]}:{loc.loc.line}"
