"""Whether trips of an affine loop write the same place, which makes their order matter.

A place that an instruction writes is ``offset + sum(step[k] * a_k)``, where `a_k` counts along a
dimension or the trips of a loop inside. Two trips meet if a sum of such differences is 0, which is
searched from the largest step down: for steps that nest, as those of tiles do, hardly anything is
tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from opennki.base.affine import AffineExpr, LoopVar
from opennki.ir import Inst, Tensor, View
from opennki.penguin import Loop

Span = tuple[int, int, int]
"""A step, and the smallest and largest number of times that it is taken."""

TRIES = 2000
"""Numbers that a search may try before it is given up: the places then count as different."""

EARLIER = 16
"""Earlier places of a tensor that a new one is compared with, besides those that are the same."""


class Place(NamedTuple):
    """What an instruction writes in all trips of the loops inside of the one that is judged."""

    offset: int
    dims: tuple[tuple[int, int], ...]

    def spans(self, sign: int) -> list[Span]:
        """Distances from the first element, or (sign -1) to it."""
        return [(sign * step, 0, count - 1) for step, count in self.dims]

    def ends(self) -> tuple[int, int]:
        """The first and the last element."""
        far = [step * (count - 1) for step, count in self.dims]
        low = sum(n for n in far if n < 0)
        return self.offset + low, self.offset + sum(far) - low


class Written(NamedTuple):
    """A place of one instruction in one pass: `step`, how far it moves from trip to trip."""

    tensor: Tensor
    place: Place
    step: int
    trips: int

    def whole(self) -> Place:
        """The place over all trips of the pass."""
        if self.trips == 1:
            return self.place
        return Place(self.place.offset, (*self.place.dims, (self.step, self.trips)))


class Writes:
    """What the passes through the body of one loop have written."""

    def __init__(self) -> None:
        self._places: dict[Tensor, dict[Place, None]] = {}

    def repeated(self, var: LoopVar | None, statements: list[Any]) -> Iterator[tuple[Inst, Tensor]]:
        """What one more pass writes that another trip of the loop writes: instruction and tensor.

        Args: var, the index of the pass, None if it is a single trip.
        """
        now: dict[Tensor, dict[Written, None]] = {}
        for inst, inner in _instructions(statements, ()):
            for view in () if _adds(inst) else inst.writes():
                if view.tensor.retired or view.index is not None:
                    continue
                one = _written(view, var, inner)
                others = now.setdefault(view.tensor, {})
                recent = [one, *list(others)[-EARLIER:]]
                if (one.trips > 1 and _meets(one, recent)) or self._met(one):
                    yield inst, view.tensor
                others[one] = None
        for tensor, several in now.items():
            self._places.setdefault(tensor, {}).update((one.whole(), None) for one in several)

    def _met(self, one: Written) -> bool:
        """Whether an earlier pass has written some of `one`."""
        earlier = self._places.get(one.tensor)
        if not earlier:
            return False
        place = one.whole()
        return place in earlier or any(
            reaches(other.offset - place.offset, [*place.spans(1), *other.spans(-1)])
            for other in list(earlier)[-EARLIER:]
        )


def _meets(one: Written, others: list[Written]) -> bool:
    """Whether `one` and an instruction of the same pass meet in different trips."""
    low, high = one.place.ends()
    for other in others:
        if other.step != one.step:
            continue  # both may be anywhere: only what moves alike is judged
        first, last = other.place.ends()
        if max(high, last) - min(low, first) < abs(one.step):
            continue  # each trip has a range of its own
        total = other.place.offset - one.place.offset
        spans = [*one.place.spans(1), *other.place.spans(-1)]
        most = one.trips - 1
        if any(reaches(total, [(one.step, *way), *spans]) for way in ((1, most), (-most, -1))):
            return True
    return False


def _adds(inst: Inst) -> bool:
    """Whether an instruction adds to what it writes: the order of such trips does not matter."""
    if hasattr(inst, "accumulate"):
        return True
    written = {(v.tensor, v.offset, v.shape, v.strides) for v in inst.writes()}
    return any((v.tensor, v.offset, v.shape, v.strides) in written for v in inst.reads())


def _instructions(
    statements: list[Any], inner: tuple[LoopVar, ...]
) -> Iterator[tuple[Inst, tuple[LoopVar, ...]]]:
    for item in statements:
        if isinstance(item, Inst):
            yield item, inner
        else:
            more = (*inner, item.var) if isinstance(item, Loop) else inner
            yield from _instructions(item.body, more)


def _written(view: View, var: LoopVar | None, inner: tuple[LoopVar, ...]) -> Written:
    """What `view` is in the first trip of the pass, and in others."""
    dims = list(zip(view.strides, view.shape, strict=True))
    offset, step = view.offset, 0
    const = offset if isinstance(offset, int) else offset.const
    for one, coeff in offset.terms if isinstance(offset, AffineExpr) else ():
        if var is not None and one.name == var.name:
            step = coeff * var.step
            const += coeff * var.start
        elif inside := next((v for v in inner if v.name == one.name), None):
            const += coeff * inside.start
            dims.append((coeff * inside.step, inside.trips))
    place = Place(const, tuple((s, n) for s, n in dims if n > 1))
    return Written(view.tensor, place, step, 1 if var is None else var.trips)


def reaches(total: int, spans: list[Span]) -> bool:
    """Whether ``sum(step * times)`` is `total` for some number of times within each span."""
    ordered = sorted(spans, key=lambda span: -abs(span[0]))
    least, most = [0], [0]
    for step, low, high in reversed(ordered):
        least.append(least[-1] + min(step * low, step * high))
        most.append(most[-1] + max(step * low, step * high))
    return _search(total, ordered, least[::-1], most[::-1], [TRIES])


def _search(
    total: int, spans: list[Span], least: list[int], most: list[int], left: list[int]
) -> bool:
    """Args: least and most, of the sums of what is left of `spans`; left, numbers to try."""
    if not spans:
        return total == 0
    (step, low, high), rest = spans[0], spans[1:]
    if step == 0:
        return low <= high and _search(total, rest, least[1:], most[1:], left)
    ends = total - most[1], total - least[1]  # what this step must come to
    first, last = (-(-ends[0] // step), ends[1] // step)
    if step < 0:
        first, last = -(-ends[1] // step), ends[0] // step
    for times in range(max(low, first), min(high, last) + 1):
        left[0] -= 1
        if left[0] < 0:
            return False
        if _search(total - step * times, rest, least[1:], most[1:], left):
            return True
    return False
