"""Replacing loops by copies of their bodies: what several passes do, each for loops of its choice.

Loops whose trips are known at run time only always stay.

An ``after`` edge of a copy leads to the latest copy of its producer: to the one of the same trip
for loops that both are in, to the one of the last trip for others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from opennki.base.affine import LoopVar
from opennki.ir import DynamicLoop, Inst, Region, While
from opennki.penguin.function import Loop, Statement
from opennki.penguin.substitute import copy_of, substitute

Trips = tuple[int, ...]


class Expansion:
    """Expands the loops of one function.

    Attributes: chosen, says which loops; named, whether the names of copies tell their trips;
    expanded, how many loops were replaced.
    """

    def __init__(self, chosen: Callable[[LoopVar], bool], named: bool) -> None:
        self.chosen = chosen
        self.named = named
        self.expanded = 0
        self._values: dict[str, int] = {}
        self._latest: dict[Inst, Inst] = {}

    def body(self, body: list[Statement], trips: Trips = ()) -> list[Statement]:
        """The statements that take the place of `body`."""
        made: list[Statement] = []
        for item in body:
            if isinstance(item, Inst):
                made.append(self._instruction(item, trips))
            elif isinstance(item, Region):
                made.append(Region(self.body(item.body, trips), item.loc))
            elif isinstance(item, DynamicLoop | While):
                made.append(replace(item, body=self.body(item.body, trips)))
            elif self.chosen(item.var):
                made += self._trips(item, trips)
            else:
                made.append(Loop(item.kind, item.var, self.body(item.body, trips), item.loc))
        return made

    def _trips(self, loop: Loop, trips: Trips) -> list[Statement]:
        made: list[Statement] = []
        self.expanded += 1
        for trip, value in enumerate(loop.var.values()):
            self._values[loop.var.name] = value
            made += self.body(loop.body, (*trips, trip))
        self._values.pop(loop.var.name, None)
        return made

    def _instruction(self, inst: Inst, trips: Trips) -> Inst:
        made = inst
        if trips:
            made = substitute(inst, self._values)
            if made is inst:
                made = copy_of(inst, {name: getattr(inst, name) for name in inst.spec.order})
            if made.name is not None and self.named:
                made.name = ".".join([made.name, *map(str, trips)])
        if inst.after:
            made.after = tuple(self._latest[p] for p in inst.after if p in self._latest)
        self._latest[inst] = made
        return made
