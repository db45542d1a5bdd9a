"""Functions and loops of Penguin: what both front doors build.

Instructions are those of the op table; their operands are views onto the function's tensors.
Regions and run-time loops are those of `opennki.ir`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from opennki.base.affine import LoopVar
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.ir import DynamicLoop, Inst, Record, Region, While


class LoopKind(Enum):
    """What the author promises about a loop's trips.

    affine: no trip depends on another (accumulation in PSUM aside); sequential: trips run in order.
    """

    affine = "affine"
    sequential = "sequential"


@dataclass
class Loop:
    """A rolled loop: `body` runs once for every value of `var`."""

    kind: LoopKind
    var: LoopVar
    body: list[Statement] = field(default_factory=list)
    loc: SrcLoc = field(default=UNKNOWN, compare=False)


Statement = Inst | Loop | Region | DynamicLoop | While


class Function(Record[Statement]):
    """One core's kernel: a record that may also hold loops of known trip count, and is lowered."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and (self.name, self.target, self.core, self.cores, self.args, self.results)
            == (other.name, other.target, other.core, other.cores, other.args, other.results)
            and list(self.tensors) == list(other.tensors)
            and all(
                a.same_as(b)
                for a, b in zip(self.tensors.values(), other.tensors.values(), strict=True)
            )
            and self.body == other.body
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        count = sum(self.counts().values())
        return f"<penguin.Function {self.name} for {self.target.name}: {count} instructions>"
