"""What products have written in PSUM, in loops whose body is traced once.

The first product that writes a place overwrites it, and others add. A loop in which the first trip
overwrites and others add is narrowed to its first trip, so that each instruction does one of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opennki.base.affine import AffineExpr, LoopVar
from opennki.ir import Tensor, View

from .overwrites import reaches

if TYPE_CHECKING:
    from .loops import Open, SymbolicLoops


class Sums:
    """Adds loops to what the builder knows (`emit.matmul.PsumWrites`).

    Windows whose place moves with a loop are pending until the loop ends.
    """

    def __init__(self, builder: Any, loops: SymbolicLoops) -> None:
        self._builder = builder
        self._loops = loops
        self._pending: dict[Tensor, dict[object, View]] = {}

    def accumulates(self, view: View) -> bool | None:
        """Whether a product that writes `view` next adds to it; None: some elements were written.

        Narrows loops until that is so for all trips.
        """
        pending = self._pending.get(view.tensor, {})
        if _key(view) in pending:
            return True
        shared = self._shared(view.tensor)
        names = _names(view)
        if names and not pending and names <= {opened.var.name for opened in shared}:
            moving = [opened for opened in shared if opened.var.name in names]
            found = self._covers(_over(view, [opened.left for opened in moving]))
            if found:
                return True
            if found is False and _apart(view, moving):
                for opened in shared:
                    if opened.var.name not in names:
                        self._loops.alone(opened.var.name)
                return False
        self._settle(view.tensor)
        found = self._covers(self._fixed(view))
        if not found:
            for opened in shared:
                self._loops.alone(opened.var.name)
        return found

    def note(self, view: View) -> None:
        """A product, or another instruction that adds, writes `view`."""
        now = self._loops.now(view.offset)
        if isinstance(now, int):
            self._builder.psum_writes.note(view)
            return
        alone = {var.name: var.start for var, _ in now.terms if var.trips == 1}
        offset = now.substitute(alone)
        moved = View(view.tensor, offset, view.shape, view.strides, view.dtype)
        if isinstance(offset, int):
            self._builder.psum_writes.note(moved)
        else:
            self._pending.setdefault(view.tensor, {})[_key(moved)] = moved

    def closed(self, var: LoopVar) -> None:
        """The loop over `var` is complete: all of its trips have written."""
        for tensor, views in list(self._pending.items()):
            if any(var.name in _names(view) for view in views.values()):
                del self._pending[tensor]
                for view in views.values():
                    self.note(_over(view, [var]))

    def _covers(self, view: View) -> bool | None:
        found: bool | None = self._builder.psum_writes.covers(view)
        return found

    def _shared(self, tensor: Tensor) -> list[Open]:
        """Rolled loops of several trips that all see `tensor`."""
        opened = [body.opened for body in self._loops.around(tensor)]
        return [one for one in opened if one is not None and one.left.trips > 1]

    def _settle(self, tensor: Tensor) -> None:
        """Narrow the loops of pending windows, which then are at one place."""
        for view in self._pending.pop(tensor, {}).values():
            self._builder.psum_writes.note(self._fixed(view))

    def _fixed(self, view: View) -> View:
        """`view` in the first trip of its loops, which are narrowed to that."""
        values = {name: self._loops.alone(name) for name in _names(view)}
        offset = view.offset
        fixed = offset if isinstance(offset, int) else offset.evaluate(values)
        return View(view.tensor, fixed, view.shape, view.strides, view.dtype)


def _names(view: View) -> set[str]:
    return {var.name for var, _ in _terms(view)}


def _terms(view: View) -> tuple[tuple[LoopVar, int], ...]:
    return view.offset.terms if isinstance(view.offset, AffineExpr) else ()


def _key(view: View) -> object:
    """What tells windows apart; that a loop was narrowed in between does not."""
    return tuple((v.name, c) for v, c in _terms(view)), view.const_offset, view.shape, view.strides


def _over(view: View, trips: list[LoopVar]) -> View:
    """The elements of `view` in all trips of these loops."""
    offset, shape, strides = view.offset, view.shape, view.strides
    for var in trips:
        coeff = next((c for v, c in _terms(view) if v.name == var.name), 0)
        if isinstance(offset, AffineExpr) and coeff:
            offset = offset.substitute({var.name: var.start})
            shape, strides = (*shape, var.trips), (*strides, coeff * var.step)
    return View(view.tensor, offset, shape, strides, view.dtype)


def _apart(view: View, moving: list[Open]) -> bool:
    """Whether different trips of these loops write different elements."""
    both = [(s, 1 - n, n - 1) for s, n in zip(view.strides, view.shape, strict=True)]
    coeffs = {var.name: coeff for var, coeff in _terms(view)}
    ways = [(coeffs[o.var.name] * o.var.step, 1 - o.left.trips, o.left.trips - 1) for o in moving]
    for at, (step, _, most) in enumerate(ways):
        if reaches(0, [(step, 1, most), *ways[:at], *ways[at + 1 :], *both]):
            return False
    return True
