"""`simplify-indices`: loop variables that are not needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from opennki.base.passes import VERIFIED, Pass, PassContext, State
from opennki.penguin.function import Function

from .expansion import Expansion


@dataclass(frozen=True)
class SimplifyIndices(Pass[Function]):
    """Replace loop variables that have one value by it, and drop loops that never run.

    for i in affine(3, 4) {                      =>  copy.vector dst=%o[192; 512*8, 1*64], src=%x
      copy.vector dst=%o[64*i; 512*8, 1*64], src=%x
    }
    """

    name: ClassVar[str] = "simplify-indices"
    requires: ClassVar[frozenset[State]] = frozenset({VERIFIED})

    def run(self, ir: Function, cx: PassContext) -> None:
        expansion = Expansion(lambda var: var.trips <= 1, named=False)
        ir.body = expansion.body(ir.body)
        cx.count("loops", expansion.expanded)
