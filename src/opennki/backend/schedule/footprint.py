"""Which bytes an operand touches, and whether two operands touch a common byte.

A footprint is ``partitions x comb``: an interval of partitions, and in each of them (or in DRAM,
where the interval is the single 0) the bytes ``lo + sum(step_k * i_k) + [0, width)``. Addresses are
physical on chip, so footprints of different tensors compare; in DRAM they count from the start of
the tensor.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from opennki.birpy import AccessPattern, MemoryLocation

Levels = tuple[tuple[int, int], ...]

SEARCH: Final = 512
"""Teeth of a comb that are tried one by one; beyond that two combs count as overlapping."""

INDIRECT: Final = frozenset({
    "TensorCopyDynamicSrc", "TensorCopyDynamicDst", "IndirectCopy", "Gather", "IndirectLoad",
    "IndirectSave", "IndirectSaveAccumulate", "GenericIndirectLoad", "GenericIndirectSave",
})  # fmt: skip
"""Opcodes that choose at run time which part of an operand they touch: all of it counts."""


class Footprint(NamedTuple):
    """Bytes of one access.

    Fields: p0 and p1, partitions ``[p0, p1)``; lo and hi, hull of the bytes in each; width, bytes
    in one piece; levels, ``((step, count), ...)`` of the pieces, largest step first, bytes.
    """

    p0: int
    p1: int
    lo: int
    hi: int
    width: int
    levels: Levels

    @property
    def size(self) -> int:
        """How many bytes, in all partitions; pieces that overlap each other count twice."""
        p0, p1, _, _, size, levels = self
        size *= p1 - p0
        for _, count in levels:
            size *= count
        return size


_new: Final = tuple.__new__
"""Makes a footprint without the generated `__new__`, which costs as much as all the rest."""


def footprint(arg: AccessPattern) -> Footprint:
    """Bytes that `arg` touches. Its offset must be a number, and on chip its storage placed.

    With a run-time index that is all of the storage.
    """
    loc, size, pairs = arg.memloc, arg.dtype.itemsize, arg.ap
    if arg.index is not None:
        return whole(loc)
    start = arg.offset * size
    assert start.__class__ is int, "an operand of rolled code has no footprint"
    if not loc.on_chip:
        return _new(Footprint, (0, 1, *_comb(start, size, pairs)))
    row = loc.row * loc.dtype.itemsize or 1
    step, count = pairs[0]
    step *= size
    if count > 1 and (step % row or step < 0):
        return whole(loc)  # walks across partitions in the free dimensions: never legal, stay safe
    first, inner = divmod(start, row)
    first += loc.partition
    last = first + (count if step == row else step // row * (count - 1) + 1)
    assert loc.address is not None, f"{loc.name} is not placed"
    base = loc.address + inner
    if len(pairs) == 2 and pairs[1][0] == 1:
        width = pairs[1][1] * size
        return _new(Footprint, (first, last, base, base + width, width, ()))
    return _new(Footprint, (first, last, *_comb(base, size, pairs[1:])))


def whole(loc: MemoryLocation) -> Footprint:
    """All bytes of a storage."""
    if not loc.on_chip:
        return Footprint(0, 1, 0, loc.size_bytes, loc.size_bytes, ())
    lo = loc.address or 0
    rows = loc.shape[0] if loc.shape else 1
    return Footprint(
        loc.partition, loc.partition + rows, lo, lo + loc.row_bytes, loc.row_bytes, ()
    )  # fmt: skip


def _comb(base: int, size: int, pairs: Levels) -> tuple[int, int, int, Levels]:
    """Hull, width and levels of the bytes that `pairs` (elements of `size` bytes) walk over.

    Pieces that touch are joined: ``[512*4, 1*512]`` is one piece, ``[8*4, 1*4, ...]`` a comb.
    """
    steps = []
    for step, count in pairs:
        if count <= 0:
            return base, base, 0, ()
        if step < 0:
            base += step * (count - 1) * size
        if step and count > 1:
            steps.append((abs(step) * size, count))
    steps.sort()
    width = size
    levels: list[tuple[int, int]] = []
    for step, count in steps:
        if not levels and step <= width:
            width += step * (count - 1)
            continue
        if levels:
            inner, inner_count = levels[-1]
            times, odd = divmod(step, inner)
            if not odd and times <= inner_count:  # continues or overlaps the comb below
                levels[-1] = inner, inner_count + times * (count - 1)
                continue
        levels.append((step, count))
    span = width + sum(step * (count - 1) for step, count in levels)
    return base, base + span, width, tuple(reversed(levels))


def overlap(a: Footprint, b: Footprint) -> bool:
    """Whether some byte is in both. Exact for combs of equal steps, and up to `SEARCH` teeth."""
    a_p0, a_p1, a_lo, a_hi, a_width, a_levels = a
    b_p0, b_p1, b_lo, b_hi, b_width, b_levels = b
    if a_lo >= b_hi or b_lo >= a_hi or a_p0 >= b_p1 or b_p0 >= a_p1:
        return False
    if not a_levels and not b_levels:
        return True
    return _meet(a_lo, a_width, a_levels, b_lo, b_width, b_levels)


def _span(width: int, levels: Levels) -> int:
    return width + sum(step * (count - 1) for step, count in levels)


def _meet(a: int, aw: int, al: Levels, b: int, bw: int, bl: Levels) -> bool:
    """`overlap` of two combs at `a` and `b` of one partition."""
    if a >= b + _span(bw, bl) or b >= a + _span(aw, al):
        return False
    if not al and not bl:
        return True
    if not al or (bl and bl[0][0] > al[0][0]):
        a, aw, al, b, bw, bl = b, bw, bl, a, aw, al  # `a` is the comb with the larger outer step
    step, count = al[0]
    inner_span = _span(aw, al[1:])
    if bl and bl[0][0] == step:  # only the distance of two teeth matters, and it is k * step
        below, other = _span(bw, bl[1:]), bl[0][1]
        low = max(1 - other, -((inner_span - 1 + a - b) // step))
        high = min(count - 1, (b - a + below - 1) // step)
        if high - low < SEARCH:
            return any(_meet(a + k * step, aw, al[1:], b, bw, bl[1:]) for k in range(low, high + 1))
        return True
    low = max(0, -((a + inner_span - 1 - b) // step))
    high = min(count - 1, (b + _span(bw, bl) - 1 - a) // step)
    if high - low >= SEARCH:
        return True
    return any(_meet(a + i * step, aw, al[1:], b, bw, bl) for i in range(low, high + 1))
