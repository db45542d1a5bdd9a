"""Writes KLR values as CBOR, over their schemas; `opennki.klr.files` puts whole files together.

Source: KLR abstract syntax, "File format".
"""

from __future__ import annotations

from typing import Any, Final

from opennki.base.codes import NKI4105
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN

from .floats import bits_of
from .syntax import Field, Kind, KlrEnum, ListOf, Node, OptionOf, Scalar, article, enum_schema
from .tensors import TensorName

TAG: Final = 0xD9
"""First byte of a value with a type: a tag of 16 bits follows."""

OPTION: Final = 0xFF
"""Type tag of options; constructor 0 is none, 1 is some."""

MAX_NESTING: Final = 64
"""How many structures may be inside each other. An ordinary kernel has about 15."""

NONE: Final = bytes((TAG, OPTION, 0, 0x80))
SOME: Final = bytes((TAG, OPTION, 1, 0x81))

RANGES: Final = {
    Scalar.NAT: (0, (1 << 64) - 1, "an integer from 0 to 2**64 - 1"),
    Scalar.INT: (-(1 << 63), (1 << 63) - 1, "an integer from -2**63 to 2**63 - 1"),
    Scalar.I32: (-(1 << 31), (1 << 31) - 1, "an integer from -2**31 to 2**31 - 1"),
}
"""Smallest and largest integer of each kind, and how both read in messages."""


def encode(value: Node) -> tuple[bytes, bool]:
    """`value` as CBOR, and whether it uses extensions. Raises: NKI4105 if no file can hold it."""
    writer = _Writer()
    writer.node(value)
    return bytes(writer.out), writer.extended


class _Writer:
    """Bytes so far, whether extensions are among them, and the path to what is being written."""

    def __init__(self) -> None:
        self.out = bytearray()
        self.extended = False
        self._path: list[str | int] = []
        self._depth = 0
        self._tensors: dict[int, bytes] = {}

    def node(self, value: Node) -> None:
        """A structure, or a constructor of a union. A tensor's bytes are made once."""
        out = self.out
        if type(value) is TensorName:
            known = self._tensors.get(id(value))
            if known is None:
                start = len(out)
                self._fields(value)
                self._tensors[id(value)] = bytes(out[start:])
            else:
                out += known
        else:
            self._fields(value)

    def _fields(self, value: Node) -> None:
        schema = value.wire()
        fields = schema.fields
        if schema.extension:
            self.extended = True
        published = schema.published
        if published < len(fields):
            if all(_as_published(value, f) for f in fields[published:]):
                fields = fields[:published]
            else:
                self.extended = True
        self.out += bytes((TAG, schema.tag, schema.index, 0x80 + len(fields) + schema.proofs))
        path = self._path
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._cannot(value, f"values that are nested at most {MAX_NESTING} deep")
        for f in fields:
            path.append(f.name)
            self._value(getattr(value, f.attr), f.kind)
            path.pop()
        self._depth -= 1

    def _value(self, value: Any, kind: Kind) -> None:
        if isinstance(kind, Scalar):
            self._scalar(value, kind)
        elif isinstance(kind, ListOf):
            self._list(value, kind)
        elif isinstance(kind, OptionOf):
            if value is None:
                self.out += NONE
            else:
                self.out += SOME
                self._value(value, kind.of)
        elif not isinstance(value, kind):
            raise self._cannot(value, article(kind.__name__))
        elif isinstance(value, KlrEnum):
            schema = enum_schema(type(value))
            self.extended |= value.value >= schema.published
            self.out += bytes((TAG, schema.tag, value.value, 0x80))
        else:
            self.node(value)

    def _list(self, value: Any, kind: ListOf) -> None:
        if not isinstance(value, list):
            raise self._cannot(value, "a list")
        self._head(4, len(value))
        path = self._path
        path.append(0)
        for i, item in enumerate(value):
            path[-1] = i
            self._value(item, kind.of)
        path.pop()

    def _scalar(self, value: Any, kind: Scalar) -> None:
        if kind in RANGES:
            low, high, expected = RANGES[kind]
            if type(value) is not int or not low <= value <= high:
                raise self._cannot(value, expected)
            self._head(*((0, value) if value >= 0 else (1, -1 - value)))
        elif kind is Scalar.STR:
            self._text(value)
        elif kind is Scalar.BOOL:
            if type(value) is not bool:
                raise self._cannot(value, "True or False")
            self.out.append(0xF5 if value else 0xF4)
        elif kind is Scalar.F32:
            self._float(value)
        elif isinstance(value, bytes):
            self.out += value
        else:
            raise self._cannot(value, "bytes of one CBOR item")

    def _text(self, value: Any) -> None:
        try:
            octets = value.encode("utf-8") if isinstance(value, str) else None
        except UnicodeEncodeError:
            octets = None
        if octets is None:
            raise self._cannot(value, "a text of Unicode characters")
        self._head(3, len(octets))
        self.out += octets

    def _float(self, value: Any) -> None:
        if type(value) is not float:
            raise self._cannot(value, "a float")
        try:
            bits = bits_of(value)
        except OverflowError:
            raise self._cannot(value, "a number that a float32 can hold") from None
        self.out.append(0xFA)
        self.out += bits.to_bytes(4, "big")

    def _head(self, major: int, argument: int) -> None:
        """First bytes of an item: its major type and an argument, as short as possible."""
        if argument < 24:
            self.out.append(major << 5 | argument)
            return
        for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
            if argument < 1 << 8 * size:
                self.out.append(major << 5 | info)
                self.out += argument.to_bytes(size, "big")
                return

    def _cannot(self, value: object, expected: str) -> NkiError:
        where = path_text(self._path)
        got = f"a {type(value).__name__}" if isinstance(value, Node) else ascii(value)[:60]
        return fail(NKI4105, UNKNOWN, where=where, got=got, expected=expected)


def _as_published(value: Node, field: Field) -> bool:
    """Whether an extension field says what a file without it says."""
    return field.default is not None and bool(getattr(value, field.attr) == field.default())


def path_text(path: list[str | int]) -> str:
    """A path of fields and positions: ``kernel.bodies[0][2].label``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the value itself"
