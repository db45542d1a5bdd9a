"""Brings a function's instructions into an order that keeps explicit edges to later ones.

    b = copy(%u, %x) after [d]      =>    c = copy(%t, %x)
    c = copy(%t, %x)                      d = copy(%w, %t)
    d = copy(%w, %t)                      b = copy(%u, %x) after [d]

An instruction moves behind those that it must follow, together with what depends on it; everything
else stays where the author wrote it. What both are in the body of stays around them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from .inst import Inst
from .record import DynamicLoop, Record, Region, While, walk
from .spec import Access
from .tensor import Tensor
from .view import View


@dataclass(frozen=True)
class Contradiction:
    """An edge that no order keeps.

    Attributes: later, what asks to follow `earlier`; chain, instructions from `later` to `earlier`,
    each of which must follow the one before it.
    """

    later: Inst
    earlier: Inst
    chain: tuple[Inst, ...]


def strangers(function: Record[Any]) -> Iterator[tuple[Inst, Inst]]:
    """Explicit edges to instructions that are not of this function: who asks, and for what."""
    asking = [inst for inst in function.instructions() if inst.after]
    if asking:
        known = {id(inst) for inst in function.instructions()}
        for inst in asking:
            yield from ((inst, other) for other in inst.after if id(other) not in known)


def crossing(function: Record[Any]) -> Iterator[tuple[Inst, Inst]]:
    """Explicit edges to what is in a run-time loop that is not around who asks: both of them."""
    homes = dict(_homes(function.body, ())) if any(i.after for i in function.instructions()) else {}
    for inst, around in homes.items():
        for producer in inst.after:
            home = homes.get(producer, ())
            if around[: len(home)] != home:
                yield inst, producer


Around = tuple[int, ...]


def _homes(body: list[Any], around: Around) -> Iterator[tuple[Inst, Around]]:
    """Every instruction with the run-time loops around it, by number."""
    for item in body:
        if isinstance(item, Inst):
            yield item, around
        else:
            more = (id(item),) if isinstance(item, DynamicLoop | While) else ()
            yield from _homes(item.body, (*around, *more))


def keep_edges(function: Record[Any]) -> list[Contradiction]:
    """Reorder `function` so that every explicit edge leads to an earlier instruction.

    Returns: edges that contradict the values that instructions pass to each other, other edges, or
        a no_reorder region. A function whose edges all lead backwards is left as it is.
    """
    edges = list(_forward(function))
    if edges:
        function.body[:] = _without_regions(function.body)
    found = [_move(function.body, inst, producer) for inst, producer in edges]
    return [one for one in found if one is not None]


def _forward(function: Record[Any]) -> Iterator[tuple[Inst, Inst]]:
    if any(inst.after for inst in function.instructions()):
        place = {id(inst): n for n, inst in enumerate(function.instructions())}
        for inst in function.instructions():
            for producer in inst.after:
                if place.get(id(producer), -1) >= place[id(inst)]:
                    yield inst, producer


def _without_regions(body: list[Any]) -> Iterator[Any]:
    """The statements with explicit edges in place of regions that hold instructions only."""
    for item in body:
        if not isinstance(item, Inst | Region):
            item.body[:] = _without_regions(item.body)
        inner = list(_without_regions(item.body)) if isinstance(item, Region) else []
        insts = [one for one in inner if isinstance(one, Inst)]
        if not isinstance(item, Region) or len(insts) < len(inner):
            yield item
            continue
        for before, after in pairwise(insts):
            after.depends_on(before)
        yield from insts


def _move(body: list[Any], inst: Inst, producer: Inst) -> Contradiction | None:
    """Put `inst`, and what depends on it, behind `producer`."""
    start, end = _index(body, inst), _index(body, producer)
    if start > end:  # an earlier move did it
        return None
    around = body[start]
    if start == end and not isinstance(around, Inst | Region):
        return _move(around.body, inst, producer)
    if start == end:
        return Contradiction(inst, producer, (inst, producer))
    moved, because = [start], {}
    for here in range(start + 1, end + 1):
        for before in moved:
            if _follows(body[here], body[before]):
                because[here] = before
                moved.append(here)
                break
    if end in because:
        return Contradiction(inst, producer, _chain(body, because, end, inst, producer))
    stays = [body[k] for k in range(start, end + 1) if k not in because and k != start]
    body[start : end + 1] = stays + [body[k] for k in moved]
    return None


def _index(body: list[Any], inst: Inst) -> int:
    return next(k for k, item in enumerate(body) if any(one is inst for one in walk([item])))


def _chain(
    body: list[Any], because: dict[int, int], end: int, inst: Inst, producer: Inst
) -> tuple[Inst, ...]:
    between = []
    place = because[end]
    while place in because:
        between.append(next(walk([body[place]])))
        place = because[place]
    return (inst, *reversed(between), producer)


def _follows(later: Any, earlier: Any) -> bool:
    """Whether the values or the edges of two statements ask for their present order."""
    if any(_depends(b, a) for b, a in product(walk([later]), walk([earlier]))):
        return True
    return _steers(earlier, later) or _steers(later, earlier)


def _steers(writer: Any, loop: Any) -> bool:
    """Whether an instruction of `writer` writes a register that runs a loop in `loop`."""
    named = {id(tensor) for tensor in _named(loop)}
    return any(id(view.tensor) in named for inst in walk([writer]) for view in inst.writes())


def _named(statement: Any) -> Iterator[Tensor]:
    """The registers that loops in `statement` themselves name."""
    if isinstance(statement, DynamicLoop | While):
        yield from statement.registers()
    if not isinstance(statement, Inst):
        for item in statement.body:
            yield from _named(item)


def _depends(later: Inst, earlier: Inst) -> bool:
    if any(producer is earlier for producer in later.after):
        return True
    if later.engine is earlier.engine and _has_state(later) and _has_state(earlier):
        return True
    if not later.alone and not earlier.alone:  # in the order in which other cores come to them
        return True
    reads, writes = list(earlier.reads()), [*earlier.writes(), *earlier.orders()]
    written = [*later.writes(), *later.orders()]
    return any(overlap(a, b) for b in written for a in (*reads, *writes)) or any(
        overlap(a, b) for b in later.reads() for a in writes
    )


def _has_state(inst: Inst) -> bool:
    """Whether the instruction uses registers that its engine keeps between instructions."""
    return any(operand.access is Access.STATE for operand in inst.spec.operands)


def overlap(a: View, b: View) -> bool:
    """Whether two views may share a byte.

    Model: storages that the author placed are taken to overlap, because addresses are compared
    only when all storages have one.
    """
    if a.tensor is not b.tensor:
        placed = a.tensor.address is not None and b.tensor.address is not None
        return placed and a.space is b.space
    if a.index is not None or b.index is not None:
        return True
    if a.dtype.itemsize != b.dtype.itemsize or not isinstance(a.offset, int):
        return True
    return isinstance(b.offset, int) and bool(np.intersect1d(_elements(a), _elements(b)).size)


def _elements(view: View) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    places = np.full(1, view.const_offset, np.int64)
    for step, count in view.dims:
        places = np.unique(places[:, None] + step * np.arange(count))
    return places
