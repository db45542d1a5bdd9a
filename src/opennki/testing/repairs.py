"""How generated instructions are mended: sizes, and the attributes that follow from sizes.

A choice of memories and dtypes says nothing of sizes. What only an instruction's own `check` ties
together is changed as the facts of its problems ask; tuples are made to fit the operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from random import Random
from typing import Any, Final

from opennki.base.diag import Problem
from opennki.ir import Inst
from opennki.isa.dma import PERMUTATIONS
from opennki.isa.matmul import tile_sizes
from opennki.isa.shuffle import GROUP, KEEP
from opennki.target import Target

from . import ranks
from .views import Frame, split


def _want(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand must have as many elements (or partitions) as another."""
    name, want = one.operand or "", one.facts["want"]
    frame = frames.get(name)
    if frame is None:
        return
    if isinstance(want, list):
        frames[name] = replace(frame, partitions=want[0], free=tuple(want[1:]))
        return
    number = want if isinstance(want, int) else 1
    if one.facts.get("dim") == "partitions":
        frames[name] = replace(frame, partitions=number)
    elif prod(frame.free) == 2 * _int(one.facts.get("got")):  # pairs of rows count once
        frames[name] = replace(frame, free=(2, number))
    else:
        frames[name] = replace(frame, free=(number,))


def _int(fact: object) -> int:
    return fact if isinstance(fact, int) else 0


def _pair(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """The first free dimension of an operand must be 2."""
    frame = frames[one.operand or ""]
    frames[one.operand or ""] = replace(frame, free=(2, prod(frame.free)))


def _triples(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    frame = frames[one.operand or ""]
    frames[one.operand or ""] = replace(frame, free=(*frame.free, 3))


def _longer(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand, and those of the same length, must have more elements."""
    number = prod(frames[one.operand or ""].free)
    for name, frame in frames.items():
        if prod(frame.free) == number:
            frames[name] = replace(frame, free=(*frame.free, _int(one.facts["want"])))


def _flatter(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand must walk fewer free dimensions."""
    frame = frames[one.operand or ""]
    frames[one.operand or ""] = replace(frame, free=(prod(frame.free),))


def _as_many(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """Source and destination must have equally many elements; ranks may differ."""
    source, dst = frames["src"], frames["dst"]
    if prod(source.shape) % dst.partitions == 0:
        frames["dst"] = replace(dst, free=(prod(source.shape) // dst.partitions,))
    else:
        frames["dst"] = replace(dst, partitions=source.partitions, free=source.free)


def _smaller(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand is too large for the engine."""
    frame = frames[one.operand or ""]
    frames[one.operand or ""] = replace(frame, partitions=min(frame.partitions, 32))


def _rows(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand must have as many partitions as another."""
    name = one.operand or ""
    frames[name] = replace(frames[name], partitions=_int(one.facts["want"]))


def _block(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand must be one block of rows."""
    name = one.operand or ""
    frames[name] = replace(frames[name], partitions=16)


def _multiple(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """A size must be a multiple: of the elements of an operand, or of its partitions.

    Partitions change in every operand that has as many by declaration.
    """
    name, group = one.operand or "", _int(one.facts["group"])
    if one.facts.get("what", "partitions") != "partitions":
        frames[name] = replace(frames[name], free=(*frames[name].free, group))
        return
    word = inst.spec.fields[name].shape[0]  # type: ignore[union-attr]  # it is an operand
    partitions = -(-frames[name].partitions // group) * group
    for operand in inst.spec.operands:
        if operand.shape[0] == word:
            frames[operand.name] = replace(frames[operand.name], partitions=partitions)


def _groups(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """An operand, and those of as many partitions, must have whole groups of them."""
    group, got = _int(one.facts["group"]), _int(one.facts["got"])
    for name, frame in frames.items():
        if frame.partitions == got:
            frames[name] = replace(frame, partitions=-(-got // group) * group)


def _one_size(frames: dict[str, Frame], one: Problem, inst: Inst) -> None:
    """All sources must have as many elements as the destination."""
    dst = frames["dst"]
    frames["srcs"] = replace(frames["srcs"], partitions=dst.partitions, free=dst.free)


REPAIRS: Final[dict[str, Callable[[dict[str, Frame], Problem, Inst], None]]] = {
    "NKI2101": _rows, "NKI2102": _want, "NKI2103": _want, "NKI2107": _want, "NKI2126": _as_many,
    "NKI2205": _pair, "NKI2210": _smaller, "NKI2212": _smaller, "NKI2216": _rows,
    "NKI2217": _multiple, "NKI2218": _flatter, "NKI2306": _want,
    "NKI2307": _block, "NKI2310": _one_size, "NKI2404": _want,
    "NKI2411": _triples, "NKI2412": _longer, "NKI2413": _flatter, "NKI2414": _multiple,
    "NKI2451": _groups, "NKI2452": _want,
}  # fmt: skip


# ---- tuple attributes ------------------------------------------------------------------------


def _pattern(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """Pairs whose counts multiply to the elements of `dst`."""
    sizes = split(fields["dst"].free_size, rnd)
    steps = (0, 1, -1, 2, -7, 100, 2**31 - 1, -(2**31))
    return tuple((rnd.choice(steps), size) for size in sizes)


def _axis(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """Some of the last dimensions of `data`."""
    rank = len(fields["data"].shape)
    return tuple(range(rnd.choice(range(1, rank)), rank))


def _axes(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """The transpose of the rank of `src`."""
    return PERMUTATIONS.get(len(fields["src"].shape))


def _tile_size(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    rows, columns = tile_sizes(target)
    return (rnd.choice(rows), target.pe_cols if "moving_scale" in fields else rnd.choice(columns))


def _tile_position(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    size = fields["tile_size"]
    if not isinstance(size, tuple) or len(size) != 2:
        size = fields["tile_size"] = _tile_size(fields, target, rnd)
    return tuple(
        rnd.choice(range(0, end, n))
        for n, end in zip(size, (target.pe_rows, target.pe_cols), strict=True)
    )


def _shuffle_mask(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """Partitions that `src` has in every group in which `dst` wants them."""
    have, want = fields["src"].partitions, fields["dst"].partitions
    mask = []
    for entry in range(GROUP):
        last = (want - 1 - entry) // GROUP * GROUP  # the last group that has this partition
        mask.append(rnd.choice([KEEP, *range(max(0, min(GROUP, have - last)))]))
    return tuple(mask)


def _ones(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    return (1.0,) * len(fields["srcs"])


TUPLES: Final[dict[str, Callable[[dict[str, Any], Target, Random], object]]] = {
    "cores": ranks.cores, "pattern": _pattern, "axis": _axis, "axes": _axes,
    "tile_size": _tile_size,
    "replica_groups": ranks.replica_groups, "source_target_pairs": ranks.source_target_pairs,
    "tile_position": _tile_position, "shuffle_mask": _shuffle_mask, "scales": _ones,
}  # fmt: skip
"""Values of the attributes that are tuples, by name: they depend on the sizes of operands."""
