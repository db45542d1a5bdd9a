"""What a trace records of one program: instructions, regions in order, and run-time loops.

A `Record` is not a representation that is lowered. It is what the rules about loops and order look
at, and what interpreters of tables need to know of a kernel, whichever road it takes. Penguin's
`Function` is one that is lowered, too, and has loops of known trip count as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.target import Target

from .inst import Inst
from .tensor import Role, Tensor


@dataclass
class Region:
    """Statements that keep their program order (`no_reorder`)."""

    body: list[Any] = field(default_factory=list)
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
    body: list[Any] = field(default_factory=list)
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
    body: list[Any] = field(default_factory=list)
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


RunTimeLoop = DynamicLoop | While
Recorded = Inst | Region | DynamicLoop | While
"""What every road has."""

S = TypeVar("S")


def renewed(loop: RunTimeLoop) -> list[Tensor]:
    """Those tensors that begin anew in every trip of `loop` and that its body uses."""
    if not loop.new:
        return []
    used: set[Tensor] = set()
    for inst in walk(loop.body):
        used.update(view.tensor for _, view in inst.views())
        used.update(view.tensor for view in inst.index_views())
    return [tensor for tensor in loop.new if tensor in used]


class Record(Generic[S]):
    """One core's kernel, as a list of statements.

    Attributes: name; target; core, its index in the launch, and cores; tensors, by name in order
    of creation; args and results, names of tensors in argument and result order; body.
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
        self.body: list[S] = []

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

    def __repr__(self) -> str:
        count = sum(self.counts().values())
        return f"<record of {self.name} for {self.target.name}: {count} instructions>"


def walk(body: list[Any]) -> Iterator[Inst]:
    """Every instruction of `body` in program order; nested bodies once."""
    for item in body:
        if isinstance(item, Inst):
            yield item
        else:
            yield from walk(item.body)
