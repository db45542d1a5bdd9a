"""Instructions of BIR: an opcode, operands and attributes under their wire names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.isa.enums import Engine

from .access import AccessPattern, Argument


class EdgeKind(Enum):
    """Why one instruction must follow another (wire ordinals)."""

    Ordered = 1
    Anti = 2
    Output = 3
    Flow = 4

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function


class Instruction:
    """One BIR instruction.

    Attributes: opcode (spelling of the BIR enumeration); engine; name, unique in the function;
    ins and outs, operands in wire order; attrs, wire name -> value (an enum member of `isa.enums`,
    a number, a string, a bool, or a tuple; treat as immutable, instances share it);
    dependencies, explicit edges ``(name, kind)``; loc.
    """

    __slots__ = ("attrs", "dependencies", "engine", "ins", "loc", "name", "opcode", "outs")

    def __init__(
        self,
        opcode: str,
        engine: Engine,
        name: str,
        ins: tuple[Argument, ...],
        outs: tuple[Argument, ...],
        attrs: Mapping[str, object],
        loc: SrcLoc = UNKNOWN,
        dependencies: tuple[tuple[str, EdgeKind], ...] = (),
    ) -> None:
        self.opcode = opcode
        self.engine = engine
        self.name = name
        self.ins = ins
        self.outs = outs
        self.attrs = attrs
        self.loc = loc
        self.dependencies = dependencies

    def indices(self) -> Iterator[AccessPattern]:
        """Where the run-time indices of its operands are read (the wire's ``indirection_ins``)."""
        for args in (self.ins, self.outs):
            for arg in args:
                if arg.__class__ is AccessPattern and arg.index is not None:
                    yield arg.index.source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and all(
            getattr(self, f) == getattr(other, f)
            for f in ("opcode", "engine", "name", "ins", "outs", "attrs", "dependencies")
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.opcode} {self.name}>"
