"""How values and types look where a kernel writes them: ``nl.equal``, ``nisa.engine.vector``."""

from __future__ import annotations

import inspect
import json
from enum import Enum

from opennki.base.dtypes import ALL, DType
from opennki.ir import REGISTER, Attribute, Operand, Space
from opennki.isa.enums import ActFunc, AluOp, Engine, IsaEnum
from opennki.target import TARGETS, Target
from opennki.trace.enums import MEANING, SPELLING

MACHINES = tuple(t for t in TARGETS if t.order > 1)
"""The targets that NKI runs on, oldest first."""


def value(written: object, isa: str = "nisa.", nl: str = "nl.") -> str:
    """A value as a kernel writes it; `isa` and `nl` are how it names the two modules."""
    if hasattr(written, "__nki_function__"):
        return f"{nl}{written.__name__}"  # type: ignore[attr-defined]  # a function
    if isinstance(written, IsaEnum):
        return value(SPELLING[written], isa, nl)
    if isinstance(written, Space):
        return f"{nl}{written.name}"
    if isinstance(written, Enum):
        return f"{isa}{type(written).__name__}.{written.name}"
    if isinstance(written, DType):
        return f"{nl}{written}"
    return json.dumps(written) if isinstance(written, str) else repr(written).replace("e+", "e")


def surface_enum(kind: type[IsaEnum]) -> type[Enum]:
    """The enumeration of `nki.isa` that stands for one of the op table."""
    return next(type(w) for w, meant in MEANING.items() if isinstance(meant, kind))


def field_type(field: Operand | Attribute, nullable: bool) -> str:
    """The type of a parameter in a stub; `nullable`, whether it also takes None."""
    if isinstance(field, Operand):
        name = "NkiTensor"
        if field.spaces == REGISTER:
            name = "VirtualRegister"
        elif field.many:
            name = "Sequence[NkiTensor]"
        elif field.number:
            name = "NkiTensor | float"
    elif field.type in (AluOp, ActFunc):
        name = "_Operator"
    elif issubclass(field.type, IsaEnum):
        name = surface_enum(field.type).__name__
    else:
        name = _PLAIN[field.type]
    return f"{name} | None" if nullable else name


_PLAIN = {
    bool: "bool", int: "int", float: "float", str: "str", DType: "_DTypeLike",
    tuple: "int | Sequence[Any]",
}  # fmt: skip


def call(name: str, signature: inspect.Signature, width: int = 88) -> str:
    """A call with its parameters and defaults, on one line if it is short enough."""
    words = []
    for p in signature.parameters.values():
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        default = "" if p.default is p.empty else f"={value(p.default)}"
        words.append(f"{star}{p.name}{default}")
    line = f"{name}({', '.join(words)})"
    if len(line) <= width:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + ")"


def dtypes(kinds: frozenset[DType] | None) -> str:
    """A set of dtypes in the order of the dtype table, or the few that it lacks."""
    if kinds is None:
        return "all"
    lacks = [d for d in ALL if d not in kinds]
    if len(lacks) < len(ALL) / 2:
        return "all but " + ", ".join(map(str, lacks)) if lacks else "all"
    return ", ".join(str(d) for d in ALL if d in kinds)


def engines(names: tuple[Engine, ...]) -> str:
    """Engines as NKI calls them."""
    return ", ".join(e.nki for e in names)


def machine(target: Target) -> str:
    """A target's name with the names that it is sold under."""
    return f"{target.name} ({target.aliases[0]})"


def lifetime(since: int, until: int | None) -> str:
    """The targets from order `since` to `until`."""
    known = [t for t in MACHINES if t.order >= since and (until is None or t.order <= until)]
    if len(known) == len(MACHINES):
        return "all that NKI runs on"
    return ", ".join(map(machine, known))
