"""Functions, loops and scopes of Penguin: what both front doors build.

Instructions are those of the op table; their operands are views onto the function's tensors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from opennki.base.affine import LoopVar
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.ir import Inst, Role, Tensor
from opennki.target import Target


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


@dataclass
class Region:
    """Statements that keep their program order (`no_reorder`)."""

    body: list[Statement] = field(default_factory=list)
    loc: SrcLoc = field(default=UNKNOWN, compare=False)


@dataclass
class DynamicLoop:
    """A loop over a range that is known at run time only; it is never unrolled.

    `register` holds the index: ``start, start + step, ...`` while it is below ``stop``. Start and
    stop are numbers or registers, read once when the loop begins; step is positive. A body that
    writes `register` changes what the rest of the trip reads, not which trips there are. `new` are
    tensors in PSUM that begin anew in every trip: no matrix product has written them yet.
    """

    register: Tensor
    start: int | Tensor
    stop: int | Tensor
    step: int = 1
    body: list[Statement] = field(default_factory=list)
    loc: SrcLoc = field(default=UNKNOWN, compare=False)
    new: list[Tensor] = field(default_factory=list)

    def registers(self) -> list[Tensor]:
        """The registers that the loop itself names."""
        named = (self.register, self.start, self.stop)
        return [r for r in named if isinstance(r, Tensor)]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DynamicLoop)
            and [_end(e) for e in (self.register, self.start, self.stop, self.step)]
            == [_end(e) for e in (other.register, other.start, other.stop, other.step)]
            and [t.name for t in self.new] == [t.name for t in other.new]
            and self.body == other.body
        )

    __hash__ = object.__hash__


@dataclass
class While:
    """A loop that runs `body` while the register `condition` is not 0, which it tests first.

    `new` is as in `DynamicLoop`.
    """

    condition: Tensor
    body: list[Statement] = field(default_factory=list)
    loc: SrcLoc = field(default=UNKNOWN, compare=False)
    new: list[Tensor] = field(default_factory=list)

    def registers(self) -> list[Tensor]:
        """The register that the loop itself names."""
        return [self.condition]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, While)
            and self.condition.name == other.condition.name
            and [t.name for t in self.new] == [t.name for t in other.new]
            and self.body == other.body
        )

    __hash__ = object.__hash__


def _end(value: int | Tensor) -> int | str:
    return value.name if isinstance(value, Tensor) else value


Statement = Inst | Loop | Region | DynamicLoop | While


class Function:
    """One core's kernel.

    Attributes: name; target; core, its index in the launch, and cores; tensors, by name in order
    of creation; args and results, names of tensors in argument and result order; body; grid.
    """

    __slots__ = ("args", "body", "core", "cores", "name", "results", "target", "tensors")

    def __init__(self, name: str, target: Target, core: int = 0, cores: int = 1) -> None:
        self.name = name
        self.target = target
        self.core = core
        self.cores = cores
        self.tensors: dict[str, Tensor] = {}
        self.args: list[str] = []
        self.results: list[str] = []
        self.body: list[Statement] = []

    def instructions(self) -> Iterator[Inst]:
        """Every instruction in program order; the bodies of loops once."""
        return walk(self.body)

    def counts(self) -> dict[str, int]:
        """Instructions per kind, in order of first appearance."""
        found: dict[str, int] = {}
        for inst in self.instructions():
            label = inst.spec.label
            found[label] = found.get(label, 0) + 1
        return found

    def outputs(self) -> list[Tensor]:
        """Tensors with role output, in order of creation."""
        return [t for t in self.tensors.values() if t.role is Role.output]

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


def walk(body: list[Statement]) -> Iterator[Inst]:
    """Every instruction of `body` in program order; nested bodies once."""
    for item in body:
        if isinstance(item, Inst):
            yield item
        else:
            yield from walk(item.body)
