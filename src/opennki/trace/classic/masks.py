"""What a mask leaves of a tile, and what of a window is inside of its tensor.

A mask whose comparisons each concern one dimension leaves a box, on which the instruction works;
one that compares dimensions with each other (``i_p >= i_f``) leaves several. Where a comparison
holds for some trips of a loop only, the loop is narrowed: first the trips for which it holds
everywhere, then the others, each by itself.
"""

from __future__ import annotations

from typing import Any, Literal

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI1085, NKI1086
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx

from .index import IndexExpr, Mask, concrete_base
from .tiles import ClassicTensor, Spans, require

MOST_BOXES = 512
"""Into how many boxes a mask may fall. Model: each is an instruction of its own."""

Condition = tuple[int, tuple[int, ...]]
"""``number + sum(steps[k] * a_k) >= 0``, with a step for every dimension of the tile."""


def left(shape: tuple[int, ...], mask: Any) -> Spans | None:
    """The part of a tile of `shape` in which `mask` holds; None if it holds nowhere.

    Raises: NKI1086 for what is no mask, NKI1085 for one that does not leave a box.
    """
    found = boxes(shape, mask)
    if len(found) > 1:
        raise fault(NKI1085, dims=[k for k, size in enumerate(shape) if size > 1])
    return found[0] if found else None


def boxes(shape: tuple[int, ...], mask: Any) -> list[Spans]:
    """The boxes of a tile of `shape` in which `mask` holds; none if it holds nowhere.

    Raises: NKI1086 for what is no mask, NKI1085 for one that leaves too many boxes.
    """
    box: Spans = [(0, size) for size in shape]
    if mask is None or mask is True:
        return [box]
    if not isinstance(mask, Mask):
        raise fault(NKI1086, got=repr(mask)[:60])
    found: list[Condition] = []
    for condition in mask.conditions:
        one = _settled(condition, shape)
        if one is False:
            return []
        if one is not None:
            found.append(one)
    return _boxes(box, found)


def hull(several: list[Spans]) -> Spans | None:
    """The least box around some boxes; None if there are none."""
    if not several:
        return None
    return [
        (min(start for start, _ in spans), max(stop for _, stop in spans))
        for spans in zip(*several, strict=True)
    ]


def _settled(condition: IndexExpr, shape: tuple[int, ...]) -> Condition | Literal[False] | None:
    """What a comparison is for the trips that loops are narrowed to: None if it always holds."""
    ahead = len(shape) - condition.ndim
    sizes = condition.shape
    fits = ahead >= 0 and all(n in (1, s) for n, s in zip(sizes, shape[ahead:], strict=True))
    if not fits:
        raise fault(NKI1086, got=f"a mask of {list(sizes)} for a tile of {list(shape)}")
    low, high = condition.bounds()
    if low >= 0:
        return None
    if high < 0:
        return False
    settled = _narrowed(condition)
    if settled is not None:
        return None if settled else False
    steps = [step if size > 1 else 0 for step, size in zip(condition.steps, sizes, strict=True)]
    return concrete_base(condition.base), (*(0,) * ahead, *steps)


def _boxes(box: Spans, conditions: list[Condition]) -> list[Spans]:
    """The boxes of `box` in which all `conditions` hold."""
    box, together = list(box), []
    for value, steps in conditions:
        varying = [k for k, step in enumerate(steps) if step and box[k][1] - box[k][0] > 1]
        value += sum(steps[k] * box[k][0] for k in range(len(box)) if k not in varying)
        if len(varying) > 1:
            together.append((value, tuple(s if k in varying else 0 for k, s in enumerate(steps))))
        elif varying:
            box[varying[0]] = _cut(box[varying[0]], value, steps[varying[0]])
        elif value < 0:
            return []
        if any(start >= stop for start, stop in box):
            return []
    if not together:
        return [box]
    mixed = [k for k in range(len(box)) if any(steps[k] for _, steps in together)]
    split = min(mixed, key=lambda k: box[k][1] - box[k][0])
    return _rows(box, together, split, mixed)


def _cut(span: tuple[int, int], value: int, step: int) -> tuple[int, int]:
    """Where in `span` ``value + step * a >= 0``."""
    start, stop = span
    if step > 0:
        return max(start, -(value // step)), stop
    return start, min(stop, value // -step + 1)


def _rows(box: Spans, conditions: list[Condition], split: int, mixed: list[int]) -> list[Spans]:
    """The boxes of every place along dimension `split`; equal neighbours are one."""
    made: list[Spans] = []
    for place in range(*box[split]):
        row = list(box)
        row[split] = place, place + 1
        for one in _boxes(row, conditions):
            last = made[-1] if made else None
            if (
                last is not None
                and last[split][1] == place
                and _but(last, split) == _but(one, split)
            ):
                last[split] = last[split][0], place + 1
            else:
                made.append(one)
            if len(made) > MOST_BOXES:
                raise fault(NKI1085, dims=mixed)
    return made


def _but(box: Spans, dim: int) -> Spans:
    return [*box[:dim], *box[dim + 1 :]]


def _narrowed(condition: IndexExpr) -> bool | None:
    """Narrow the loops of a condition until it holds everywhere (True), or nowhere (False).

    Outer loops come first. None if it depends on the place in the tile in the trip that is left.
    """
    base = condition.base
    if not isinstance(base, AffineExpr):
        return None
    loops: Any = nki_ctx("mask=").symbolic
    coefficients = {var.name: coeff for var, coeff in base.terms}
    for name in [n for n in loops.open if n in coefficients]:
        trips = loops.trips(name)
        gain = coefficients[name] * loops.open[name].var.step
        low, high = condition.bounds()
        # Bounds are over all trips: those of the first trip are the least or the most of them.
        first_low = low - min(0, gain * (trips - 1))
        first_high = high - max(0, gain * (trips - 1))
        if first_low >= 0:
            loops.keep(name, trips if gain >= 0 else min(trips, first_low // -gain + 1))
            return True
        if first_high < 0:
            loops.keep(name, trips if gain <= 0 else min(trips, (-1 - first_high) // gain + 1))
            return False
        loops.keep(name, 1)
    return None


def part(view: ClassicTensor, shape: tuple[int, ...], box: Spans) -> ClassicTensor:
    """What of an operand belongs to the part `box` of a tile of `shape`, and is inside its tensor.

    Dimensions of size 1 belong to all of it. Raises: NKI3040 for an index that is outside.
    """
    ahead = len(shape) - len(view.shape)
    spans = []
    for k, size in enumerate(view.shape):
        start, stop = box[k + ahead] if k + ahead >= 0 else (0, size)
        whole = size == 1 or k + ahead < 0 or size != shape[k + ahead]
        spans.append((0, size) if whole else (start, stop))
    return cut(view, spans)


def cut(view: ClassicTensor, spans: Spans) -> ClassicTensor:
    """The part `spans` of a view, which is inside its tensor. Raises: NKI3040 if it is not."""
    require(view, spans)
    loops: Any = nki_ctx("mask=").symbolic
    offset: Any = loops.now(view.offset)
    for (start, _), stride in zip(spans, view.strides, strict=True):
        offset = offset + start * stride
    sizes = tuple(stop - start for start, stop in spans)
    return view.taken(offset, sizes, spans)


def decided(conditions: tuple[IndexExpr, ...]) -> bool:
    """Whether comparisons of loop indices hold: loops are narrowed until each does, or does not."""
    for condition in conditions:
        scalar = IndexExpr(condition.base)
        one = _settled(scalar, ())
        if one is False or (one is not None and one[0] < 0):
            return False
    return True


Mask.decided = staticmethod(decided)
