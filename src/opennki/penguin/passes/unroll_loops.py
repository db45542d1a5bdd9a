"""`unroll-loops`: straight-line code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from opennki.base.codes import NKI9003
from opennki.base.diag import fail
from opennki.base.passes import FLAT, VERIFIED, Pass, PassContext, State
from opennki.ir import Inst
from opennki.penguin.function import Function, Loop, Statement

from .expansion import Expansion


@dataclass(frozen=True)
class UnrollLoops(Pass[Function]):
    """Replace each loop by its copies; run-time loops stay, with the loops inside them expanded.

    for i in affine(0, 2) {                         =>  copy.vector dst=%o[0; 128*8, 1*64], src=%x
      copy.vector dst=%o[64*i; 128*8, 1*64], src=%x     copy.vector dst=%o[64; 128*8, 1*64], src=%x
    }

    The copy of a named instruction is named after the number of its trip in every loop around it,
    outermost first: ``load`` in the third trip is ``load.2``.

    Options: limit, instructions that the function may have afterwards; beyond it NKI9003 is raised.
    """

    name: ClassVar[str] = "unroll-loops"
    requires: ClassVar[frozenset[State]] = frozenset({VERIFIED})
    ensures: ClassVar[frozenset[State]] = frozenset({FLAT})
    limit: int = 1_000_000

    def run(self, ir: Function, cx: PassContext) -> None:
        loops = [item for item in ir.body if isinstance(item, Loop)]
        count = instructions(ir.body)
        if count > self.limit:
            what = f"loops that expand to {count} instructions (the limit is {self.limit})"
            raise fail(
                NKI9003, (loops[0] if loops else ir.body[0]).loc, what=what,
                instead="raise the limit of unroll-loops, or keep the loops rolled",
            )  # fmt: skip
        expansion = Expansion(lambda var: True, named=True)
        ir.body = expansion.body(ir.body)
        cx.count("loops", expansion.expanded)


def instructions(body: list[Statement]) -> int:
    """Instructions that `body` runs, over all trips of its loops."""
    total = 0
    for item in body:
        if isinstance(item, Inst):
            total += 1
        else:
            total += instructions(item.body) * (item.var.trips if isinstance(item, Loop) else 1)
    return total
