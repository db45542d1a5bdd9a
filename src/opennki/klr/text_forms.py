"""What the JSON and the S-expression form share: the walk over schemas, and their messages.

A form says how structures, choices, lists, options and leaves look, as items of its own; here is
which of them stands where, and what is wrong if something else does. Extension fields that say what
a file without them says are left out; fields with a default may be left out when reading.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isnan
from typing import Any, Final, Generic, TypeVar

from opennki.base.codes import (
    NKI4001,
    NKI4003,
    NKI4004,
    NKI4006,
    NKI4009,
    NKI4010,
    NKI4011,
    NKI4015,
    NKI4104,
)
from opennki.base.diag import Code, NkiError, Problem, diagnostic
from opennki.base.loc import SrcLoc
from opennki.base.text import nearest

from .cbor_reader import is_one_item
from .cbor_writer import MAX_NESTING, RANGES, encode
from .floats import NAN, bits_of, from_bits
from .syntax import Kind, KlrEnum, ListOf, Node, OptionOf, Scalar, Schema, article, enum_schema

O = TypeVar("O")  # noqa: E741  # an item of the form that is written

_SPECIAL: Final = {"Infinity": inf, "-Infinity": -inf, "NaN": from_bits(NAN)}
_PAYLOAD: Final = re.compile(r"NaN:([0-9a-f]{8})")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
MAX_DIGITS: Final = 400
"""Longer numbers are not read: no float32 needs them, and int() takes quadratic time."""

MAX_TEXT_NESTING: Final = 250
"""How deep lists and objects of a text may be; values inside each other are two or three levels."""


class Encoder(ABC, Generic[O]):
    """Turns values into items of a form."""

    @abstractmethod
    def structure(self, fields: list[tuple[str, O]]) -> O:
        """A structure with named fields."""

    @abstractmethod
    def choice(self, name: str, fields: list[tuple[str, O]]) -> O:
        """A constructor; without fields, its name alone."""

    @abstractmethod
    def items(self, found: list[O]) -> O:
        """A list."""

    @abstractmethod
    def option(self, found: O | None) -> O:
        """A value that may be missing."""

    @abstractmethod
    def leaf(self, value: bool | int | float | str) -> O:
        """A leaf; a float is finite."""

    def whole(self, value: Node) -> O:
        """The item of a whole value. Raises: NKI4105 for what no file can hold."""
        encode(value)  # which checks all that it holds
        return self._node(value)

    def _node(self, value: Node) -> O:
        schema = value.wire()
        fields = [
            (f.name, self._value(getattr(value, f.attr), f.kind))
            for f in schema.fields
            if not (f.extension and f.default is not None and getattr(value, f.attr) == f.default())
        ]
        return self.choice(schema.name, fields) if schema.variant else self.structure(fields)

    def _value(self, value: Any, kind: Kind) -> O:
        if isinstance(kind, ListOf):
            return self.items([self._value(item, kind.of) for item in value])
        if isinstance(kind, OptionOf):
            return self.option(None if value is None else self._value(value, kind.of))
        if isinstance(value, KlrEnum):
            return self.choice(value.klr, [])
        if isinstance(value, Node):
            return self._node(value)
        if isinstance(value, bytes):
            return self.leaf(value.hex())
        if kind is Scalar.F32:
            return self.leaf(_shown_float(value))
        assert isinstance(value, (bool, int, str)), value
        return self.leaf(value)


def _shown_float(value: float) -> float | str:
    """The float32 as a finite float or, where it is none, as a text."""
    bits = bits_of(value)
    rounded = from_bits(bits)
    if isnan(rounded):
        return "NaN" if bits == NAN else f"NaN:{bits:08x}"
    if rounded in (inf, -inf):
        return "Infinity" if rounded > 0 else "-Infinity"
    return rounded


@dataclass(slots=True)
class Item:
    """A piece of text that was read.

    Attributes: at, offset of its first character; what, ``"text"`` (quoted), ``"word"`` (not
    quoted), ``"list"`` or ``"object"``; value, its text, its items, or its pairs of key and item.
    """

    at: int
    what: str
    value: Any


class Decoder(ABC):
    """Turns items of a form into values."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._depth = 0

    @abstractmethod
    def pairs(self, item: Item, what: str) -> list[tuple[Item, Item]]:
        """Keys and items of a structure, called `what` in messages."""

    @abstractmethod
    def chosen(self, item: Item, what: str) -> tuple[Item, list[tuple[Item, Item]]]:
        """Name of a constructor of `what`, and its keys and items."""

    @abstractmethod
    def option(self, item: Item) -> Item | None:
        """The item of an option that is there."""

    def loc(self, at: int) -> SrcLoc:
        """The place of the character at offset `at`."""
        line = self.text.count("\n", 0, at) + 1
        start = self.text.rfind("\n", 0, at) + 1
        return SrcLoc(self.file, line, at - start, at - start + 1)

    def error(self, code: Code, at: int, **facts: object) -> NkiError:
        """An error at offset `at`, to be raised."""
        return NkiError([diagnostic(Problem(code, facts), self.loc(at))])

    def node(self, item: Item, cls: type[Node]) -> Node:
        """The value of type `cls` that `item` is.

        Raises: NKI4003 for an unknown constructor, NKI4009 to NKI4011 for fields, NKI4004 for one
            that is there twice, NKI4006 and NKI4015 for numbers, NKI4104 for too deep nesting.
        """
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self.error(
                NKI4104, item.at, what="the nesting of values", got=self._depth, limit=MAX_NESTING
            )
        schema = cls.schema
        if schema.constructors:
            name, pairs = self.chosen(item, schema.name)
            found = schema.by_name(name.value)
            if found is None:
                known = [s.name for s in schema.constructors]
                raise self._unknown(name, f"constructor of {schema.name}", known)
            schema = found
        else:
            pairs = self.pairs(item, schema.name)
        made = schema.build(*self._fields(schema, item, pairs))
        self._depth -= 1
        return made

    def _fields(self, schema: Schema, item: Item, pairs: list[tuple[Item, Item]]) -> list[Any]:
        given: dict[str, Item] = {}
        names = {f.name for f in schema.fields}
        for key, value in pairs:
            if key.value not in names:
                close = nearest(key.value[:60], names)
                raise self.error(
                    NKI4011, key.at, where=schema.name, field=key.value[:60], close=close
                )
            if key.value in given:
                raise self.error(NKI4004, key.at, kind="field", name=key.value)
            given[key.value] = value
        values = []
        for f in schema.fields:
            if f.name in given:
                values.append(self._value(given[f.name], f.kind, (schema.name, f.name)))
            elif f.default is not None:
                values.append(f.default())
            else:
                raise self.error(NKI4009, item.at, where=schema.name, field=f.name)
        return values

    def _value(self, item: Item, kind: Kind, field: tuple[str, str]) -> Any:
        if isinstance(kind, Scalar):
            return self._scalar(item, kind, field)
        if isinstance(kind, ListOf):
            return [self._value(i, kind.of, field) for i in self._items(item, field)]
        if isinstance(kind, OptionOf):
            found = self.option(item)
            return None if found is None else self._value(found, kind.of, field)
        if issubclass(kind, KlrEnum):
            return self._member(item, kind)
        return self.node(item, kind)

    def _items(self, item: Item, field: tuple[str, str]) -> Iterable[Item]:
        if item.what != "list":
            raise self.mistyped(item, "a list", field)
        found: list[Item] = item.value
        return found

    def _member(self, item: Item, cls: type[KlrEnum]) -> KlrEnum:
        schema = enum_schema(cls)
        if item.what not in ("text", "word"):
            raise self.unexpected(item, article(cls.__name__))
        found = schema.by_name.get(item.value)
        if found is None:
            raise self._unknown(item, cls.__name__, schema.by_name)
        return found

    def _scalar(self, item: Item, kind: Scalar, field: tuple[str, str]) -> Any:
        if kind is Scalar.STR:
            return self._string(item, field)
        if kind is Scalar.F32:
            return self._float(item, field)
        if kind is Scalar.BOOL:
            if item.what != "word" or item.value not in ("true", "false"):
                raise self.mistyped(item, "true or false", field)
            return item.value == "true"
        if kind is Scalar.OPAQUE:
            return self._opaque(item, field)
        low, high, expected = RANGES[kind]
        if item.what != "word" or not _NUMBER.fullmatch(item.value):
            raise self.mistyped(item, expected, field)
        if len(item.value) > 40 or not item.value.lstrip("-").isdigit():
            raise self.error(NKI4006, item.at, text=item.value[:40], kind=expected)
        value = int(item.value)
        if not low <= value <= high:
            name = ".".join(field)
            raise self.error(NKI4015, item.at, field=name, got=value, allowed=expected)
        return value

    def _string(self, item: Item, field: tuple[str, str]) -> str:
        if not self.is_string(item):
            raise self.mistyped(item, "a text", field)
        text: str = item.value
        if not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError:
                raise self.mistyped(item, "a text of Unicode characters", field) from None
        return text

    def is_string(self, item: Item) -> bool:
        """Whether `item` can be a text."""
        return item.what == "text"

    def _opaque(self, item: Item, field: tuple[str, str]) -> bytes:
        expected = "one CBOR item in hexadecimal"
        try:
            octets = bytes.fromhex(self._string(item, field))
        except ValueError:
            raise self.mistyped(item, expected, field) from None
        if not is_one_item(octets):
            raise self.mistyped(item, expected, field)
        return octets

    def _float(self, item: Item, field: tuple[str, str]) -> float:
        text = item.value
        if item.what in ("text", "word"):
            special = _SPECIAL.get(text)
            if special is not None:
                return special
            payload = _PAYLOAD.fullmatch(text)
            if payload and isnan(from_bits(int(payload[1], 16))):
                return from_bits(int(payload[1], 16))
        if item.what != "word" or not _NUMBER.fullmatch(text):
            raise self.mistyped(item, "a number, Infinity, -Infinity or NaN", field)
        if len(text) > MAX_DIGITS:
            raise self.error(NKI4006, item.at, text=text[:40], kind="a float32")
        try:
            return from_bits(bits_of(float(text)))
        except OverflowError:
            pass
        allowed = "a number that a float32 can hold"
        raise self.error(NKI4015, item.at, field=".".join(field), got=text[:40], allowed=allowed)

    def mistyped(self, item: Item, expected: str, field: tuple[str, str]) -> NkiError:
        """The error that a field holds something else. To be raised."""
        got = self.shown(item)
        return self.error(
            NKI4010, item.at, where=field[0], field=field[1], expected=expected, got=got
        )

    def unexpected(self, item: Item, expected: str) -> NkiError:
        """The error that something else stands here. To be raised."""
        return self.error(NKI4001, item.at, got=self.shown(item), expected=expected)

    def _unknown(self, item: Item, kind: str, known: Iterable[str]) -> NkiError:
        name = item.value[:60]
        return self.error(NKI4003, item.at, kind=kind, name=name, close=nearest(name, known))

    def shown(self, item: Item) -> str:
        """How an item reads in a message."""
        if item.what in ("text", "word"):
            return f"`{ascii(item.value[:40])[1:-1]}`"
        return {"list": "a list", "object": "an object"}[item.what]


def too_deep(decoder: Decoder, at: int) -> NkiError:
    """The error that lists and objects of a text are inside each other too often. To be raised."""
    what, got = "the nesting of the text", MAX_TEXT_NESTING + 1
    return decoder.error(NKI4104, at, what=what, got=got, limit=MAX_TEXT_NESTING)
