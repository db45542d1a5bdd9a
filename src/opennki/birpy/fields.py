"""Kinds of attribute values: which Python values they allow and how they look on the wire.

`opcodes` says which attribute has which kind; `verify`, `serde` and `parser` use them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any, Final

from opennki.isa.enums import AluOp, DgeMode, Engine, IsaEnum, MatmulPerfMode

from .enums import AddressRotationScope, CollectiveHint, CollectiveKind, TransposeOp

WIRE_NAMES: Final[dict[IsaEnum, str]] = {
    MatmulPerfMode.NONE: "None", MatmulPerfMode.DOUBLE_ROW: "DoubleRow", TransposeOp.NONE: "None",
    DgeMode.none: "None", DgeMode.swdge: "SWDGE", DgeMode.hwdge: "HWDGE",
    DgeMode.unknown: "Unassigned", CollectiveHint.NONE: "None", AddressRotationScope.NONE: "None",
    **{engine: engine.bir for engine in Engine},
}  # fmt: skip
"""Members whose wire name differs from their Python name."""


@dataclass(frozen=True)
class Kind:
    """One kind of value.

    Attributes: expected, how messages call it; accepts, whether a Python value is one; encode,
    Python value -> JSON value; decode, JSON value -> Python value, None if it is not one; enum,
    the enumeration whose member it is, if any.
    """

    expected: str
    accepts: Callable[[object], bool]
    encode: Callable[[Any], object]
    decode: Callable[[object], object | None]
    enum: type[IsaEnum] | None = None


def _same(value: object) -> object:
    return value


def _scalar(expected: str, accepts: Callable[[object], bool]) -> Kind:
    """A kind whose JSON value is the Python value."""
    return Kind(expected, accepts, _same, lambda wire: wire if accepts(wire) else None)


def _integer(name: str, low: int, high: int) -> Kind:
    return _scalar(name, lambda v: v.__class__ is int and low <= v <= high)


BOOL: Final = _scalar("a bool", lambda v: v.__class__ is bool)
STR: Final = _scalar("a string", lambda v: v.__class__ is str)
INT: Final = _integer("an int64", -(2**63), 2**63 - 1)
U8: Final = _integer("a uint8", 0, 2**8 - 1)
U16: Final = _integer("a uint16", 0, 2**16 - 1)
U32: Final = _integer("a uint32", 0, 2**32 - 1)

_NON_FINITE: Final = {"inf": inf, "-inf": -inf, "nan": nan}


def encode_number(value: int | float) -> int | float | str:
    """`value` for JSON, where infinities and NaN are strings."""
    return value if value.__class__ is int or isfinite(value) else float.__repr__(float(value))


def decode_number(wire: object) -> int | float | None:
    """What `encode_number` was given, None if it was no number."""
    if wire.__class__ is int or wire.__class__ is float:
        return wire
    return _NON_FINITE.get(wire) if wire.__class__ is str else None


FLOAT: Final = Kind(
    "a number", lambda v: v.__class__ in (int, float), encode_number, decode_number
)  # fmt: skip


def enumeration(enum: type[IsaEnum]) -> Kind:
    """Members of `enum`, by name on the wire."""
    by_name = {WIRE_NAMES.get(member, member.name): member for member in enum}
    return Kind(
        f"a member of {enum.__name__}",
        lambda v: v.__class__ is enum,
        lambda v: WIRE_NAMES.get(v, v.name),
        lambda wire: by_name.get(wire) if wire.__class__ is str else None,
        enum,
    )


def tuple_of(item: Kind, expected: str, length: int | None = None) -> Kind:
    """Tuples of `item`, JSON arrays on the wire; of `length` items when that is given."""

    def accepts(value: object) -> bool:
        return (
            isinstance(value, tuple)
            and (length is None or len(value) == length)
            and all(map(item.accepts, value))
        )

    def decode(wire: object) -> object | None:
        if not isinstance(wire, list) or (length is not None and len(wire) != length):
            return None
        items = tuple(map(item.decode, wire))
        return None if None in items else items

    return Kind(expected, accepts, lambda v: list(map(item.encode, v)), decode)


INTS: Final = tuple_of(INT, "a list of integers")
STRS: Final = tuple_of(STR, "a list of strings")
U32S: Final = tuple_of(U32, "a list of uint32")
FLOATS: Final = tuple_of(FLOAT, "a list of numbers")
PAIR: Final = tuple_of(INT, "two integers", 2)
TRIPLE: Final = tuple_of(INT, "three integers", 3)
PATTERN: Final = tuple_of(PAIR, "a list of [step, num] pairs")
GROUPS: Final = tuple_of(INTS, "a list of lists of integers")


def _channel(value: object) -> bool:
    """Whether a value names a kind, groups of ranks and an operator, in this order."""
    return (
        isinstance(value, tuple)
        and len(value) == 3
        and value[0] in CollectiveKind.__members__
        and GROUPS.accepts(value[1])
        and value[2] in AluOp.__members__
    )


def _to_channel(wire: object) -> object | None:
    if not isinstance(wire, dict) or wire.keys() - {"kind", "replica_groups", "op"}:
        return None
    groups = GROUPS.decode(wire.get("replica_groups", []))
    made = (wire.get("kind", "AllReduce"), groups, wire.get("op", "bypass"))
    return made if _channel(made) else None


CHANNEL: Final = Kind(
    "a kind of collective, lists of ranks, and an operator",
    _channel,
    lambda v: {"kind": v[0], "replica_groups": GROUPS.encode(v[1]), "op": v[2]},
    _to_channel,
)
"""What a collective does: ``("AllReduce", ((0, 1),), "add")``, an object on the wire."""


class _Mark:
    """Stands for the default of an attribute that has none."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


REQUIRED: Final = _Mark("REQUIRED")
OPTIONAL: Final = _Mark("OPTIONAL")


@dataclass(frozen=True)
class Field:
    """One attribute of an opcode.

    Attributes: key, its name here and on the wire; kind; default, the value that absence means, or
    REQUIRED (must be there), or OPTIONAL (may be absent, which is a value of its own); written,
    whether the wire has it even when it equals its default.
    """

    key: str
    kind: Kind
    default: object = REQUIRED
    written: bool = False

    @property
    def required(self) -> bool:
        """Whether an instruction without it is wrong."""
        return self.default is REQUIRED

    @property
    def has_default(self) -> bool:
        """Whether absence means a value."""
        return not isinstance(self.default, _Mark)
