"""Reads KLR values from CBOR, over their schemas; `opennki.klr.files` reads whole files.

A CBOR library would not do: counts of arguments include proofs, which take no bytes, so that the
file is not well-formed CBOR in those places; and every error here says at which byte it is, in
which field, and what is expected. Source: KLR abstract syntax, "File format".

Nothing is allocated for what a header announces before it is there; the nesting of values is
bounded, so that no input can exhaust the stack.
"""

from __future__ import annotations

from typing import Any, Final

from opennki.base.codes import NKI4101, NKI4102, NKI4104, NKI4108
from opennki.base.diag import NkiError, fail
from opennki.base.loc import SrcLoc

from .cbor_writer import MAX_NESTING, NONE, RANGES, SOME, TAG, path_text
from .floats import from_bits
from .syntax import Kind, KlrEnum, ListOf, Node, OptionOf, Scalar, Schema, article, enum_schema
from .tensors import TensorName

_MAJORS: Final = (
    "a natural number", "a negative number", "bytes", "a text", "a list", "a map", "a tag",
    "a simple value",
)  # fmt: skip


class Reader:
    """A position in the bytes of a file.

    Attributes: pos, of the next byte; extended, whether extensions are allowed; older, by the tag
    of a union, its constructors in files of another age.
    """

    def __init__(self, octets: bytes, file: str) -> None:
        self.pos = 0
        self.extended = False
        self.older: dict[int, list[Schema]] = {}
        self._octets = octets
        self._file = file
        self._path: list[str | int] = []
        self._depth = 0
        self._tensors: dict[str, tuple[bytes, Node]] = {}

    @property
    def loc(self) -> SrcLoc:
        """The file, as a location."""
        return SrcLoc(self._file, 0)

    def node(self, cls: type[Node]) -> Node:
        """The value of type `cls` that begins here.

        Equal descriptions of a tensor of one name give one object.
        Raises: NKI4101, NKI4102, NKI4104, NKI4108.
        """
        if cls is TensorName:
            return self._tensor()
        return self._typed(cls)

    def _tensor(self) -> Node:
        start, octets = self.pos, self._octets
        head = TensorName.schema
        if not octets.startswith(bytes((TAG, head.tag, head.index)), start):
            return self._typed(TensorName)
        self.pos = start + 4
        self._path.append("name")
        name = self._text()
        self._path.pop()
        known = self._tensors.get(name)
        if known is not None and octets.startswith(known[0], start):
            self.pos = start + len(known[0])
            return known[1]
        self.pos = start
        made = self._typed(TensorName)
        self._tensors[name] = octets[start : self.pos], made
        return made

    def _typed(self, cls: type[Node]) -> Node:
        start = self.pos
        schema = cls.schema
        index, count = self._tag(schema.tag, schema.name)
        if schema.constructors:
            schema = self._constructor(schema, index, start)
        elif index != schema.index:
            raise self.unexpected(article(schema.name), start, 4)
        present = self._present(schema, count, start)
        self._depth += 1
        if self._depth > MAX_NESTING:
            what = f"the nesting of values at byte {start}"
            raise fail(NKI4104, self.loc, what=what, got=self._depth, limit=MAX_NESTING)
        values = []
        path = self._path
        for f in schema.fields:
            if f.name in present:
                path.append(f.name)
                values.append(self._value(f.kind))
                path.pop()
            else:
                assert f.default is not None
                values.append(f.default())
        self._depth -= 1
        return schema.build(*values)

    def _tag(self, tag: int, name: str) -> tuple[int, int]:
        """Constructor index and number of arguments of the value that begins here."""
        octets, start = self._octets, self.pos
        if len(octets) - start < 4:
            raise self._truncated(article(name))
        first, found, index, arguments = octets[start : start + 4]
        if first != TAG or found != tag or not 0x80 <= arguments < 0x98:
            raise self.unexpected(f"{article(name)} (d9 {tag:02x})", start, 4)
        self.pos = start + 4
        return index, arguments - 0x80

    def _constructor(self, union: Schema, index: int, start: int) -> Schema:
        known = self.older.get(union.tag, union.constructors)
        if index >= len(known):
            last = len(known) - 1
            raise self.unexpected(
                f"{article(union.name)} with a constructor from 0 to {last}", start, 4
            )
        schema = known[index]
        if schema.extension and not self.extended:
            raise self._extension(f"constructor {schema.name} of {union.name}", start)
        return schema

    def _present(self, schema: Schema, count: int, start: int) -> frozenset[str]:
        """Names of the fields that follow, which the number of arguments tells."""
        given = count - schema.proofs
        for fields in schema.layouts:
            if given == len(fields):
                if given > schema.published and not self.extended:
                    raise self._extension(f"{article(schema.name)} with {count} arguments", start)
                return fields
        counts = " or ".join(str(len(f) + schema.proofs) for f in schema.layouts)
        raise self.unexpected(f"{article(schema.name)} with {counts} arguments", start, 4)

    def _value(self, kind: Kind) -> Any:
        if isinstance(kind, Scalar):
            return self._scalar(kind)
        if isinstance(kind, ListOf):
            return self._list(kind)
        if isinstance(kind, OptionOf):
            return self._option(kind)
        return self._member(kind) if issubclass(kind, KlrEnum) else self.node(kind)

    def _option(self, kind: OptionOf) -> Any:
        start = self.pos
        head = self._octets[start : start + 4]
        if len(head) < 4:
            raise self._truncated("an option")
        if head not in (NONE, SOME):
            raise self.unexpected("an option (d9 ff 00 80 or d9 ff 01 81)", start, 4)
        self.pos = start + 4
        return self._value(kind.of) if head == SOME else None

    def _member(self, cls: type[KlrEnum]) -> KlrEnum:
        start, schema = self.pos, enum_schema(cls)
        index, count = self._tag(schema.tag, cls.__name__)
        if index >= len(schema.members) or count:
            raise self.unexpected(
                f"{article(cls.__name__)} from 0 to {len(schema.members) - 1}, without arguments",
                start,
                4,
            )
        member = schema.members[index]
        if not member.published and not self.extended:
            raise self._extension(f"{cls.__name__} {member.klr}", start)
        return member

    def _list(self, kind: ListOf) -> list[Any]:
        start = self.pos
        major, count = self._head("a list")
        if major != 4:
            raise self.unexpected("a list", start, 1)
        left = len(self._octets) - self.pos
        if count > left:
            what = f"the number of entries of the list at byte {start}"
            raise fail(NKI4104, self.loc, what=what, got=count, limit=f"{left}, the bytes left,")
        found: list[Any] = []
        path = self._path
        path.append(0)
        for i in range(count):
            path[-1] = i
            found.append(self._value(kind.of))
        path.pop()
        return found

    def _scalar(self, kind: Scalar) -> Any:
        if kind in RANGES:
            return self._integer(kind)
        if kind is Scalar.STR:
            return self._text()
        if kind is Scalar.BOOL:
            return self._bool()
        return self._float() if kind is Scalar.F32 else self.opaque()

    def _integer(self, kind: Scalar) -> int:
        start = self.pos
        low, high, expected = RANGES[kind]
        major, value = self._head(expected)
        if major == 1:
            value = -1 - value
        if major > 1 or not low <= value <= high:
            raise self.unexpected(expected, start, self.pos - start)
        return value

    def _text(self) -> str:
        start = self.pos
        major, size = self._head("a text")
        if major != 3:
            raise self.unexpected("a text", start, 1)
        octets = self._octets[self.pos : self.pos + size]
        if len(octets) < size:
            raise self._truncated(f"a text of {size} bytes, begun at byte {start},")
        try:
            text = octets.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.unexpected("UTF-8", self.pos + error.start, 1) from None
        self.pos += size
        return text

    def _bool(self) -> bool:
        major, value = self._head("false or true (f4 or f5)")
        if major != 7 or value not in (20, 21) or self._octets[self.pos - 1] < 0xF4:
            raise self.unexpected("false or true (f4 or f5)", self.pos - 1, 1)
        return value == 21

    def _float(self) -> float:
        start = self.pos
        octets = self._octets[start : start + 5]
        if octets[:1] not in (b"", b"\xfa"):
            raise self.unexpected("a float32 (fa)", start, 1)
        if len(octets) < 5:
            raise self._truncated("a float32 (fa and 4 bytes)")
        self.pos = start + 5
        return from_bits(int.from_bytes(octets[1:], "big"))

    def opaque(self) -> bytes:
        """One item of CBOR, however deep, without a meaning."""
        start = self.pos
        pending = [1]
        while pending:
            pending[-1] -= 1
            if not pending[-1]:
                pending.pop()
            at = self.pos
            major, argument = self._head("a value")
            if major in (2, 3):
                if argument > len(self._octets) - self.pos:
                    raise self._truncated(f"a text of {argument} bytes, begun at byte {at},")
                self.pos += argument
            elif major in (4, 5, 6):
                following = (argument, 2 * argument, 1)[major - 4]
                if following:
                    pending.append(following)
        return self._octets[start : self.pos]

    def _head(self, expected: str) -> tuple[int, int]:
        """Major type and argument of the item that begins here; steps over them."""
        octets, start = self._octets, self.pos
        if start >= len(octets):
            raise self._truncated(expected)
        major, argument = octets[start] >> 5, octets[start] & 31
        if argument < 24:
            self.pos = start + 1
            return major, argument
        if argument > 27:
            raise self.unexpected(expected, start, 1)
        size = 1 << (argument - 24)
        found = octets[start + 1 : start + 1 + size]
        if len(found) < size:
            raise self._truncated(expected)
        self.pos = start + 1 + size
        return major, int.from_bytes(found, "big")

    def unexpected(self, expected: str, start: int, count: int) -> NkiError:
        """The error NKI4101 about the `count` bytes at `start`. To be raised."""
        got = f"with {hexadecimal(self._octets[start : start + count])}"
        if count == 1:
            got += f" ({_MAJORS[self._octets[start] >> 5]})"
        where = path_text(self._path)
        return fail(NKI4101, self.loc, offset=start, got=got, expected=expected, where=where)

    def _truncated(self, expected: str) -> NkiError:
        where = path_text(self._path)
        return fail(NKI4102, self.loc, offset=len(self._octets), expected=expected, where=where)

    def _extension(self, got: str, start: int) -> NkiError:
        where = path_text(self._path)
        return fail(NKI4108, self.loc, offset=start, got=got, where=where)


def is_one_item(octets: bytes) -> bool:
    """Whether `octets` are one well-formed item of CBOR."""
    reader = Reader(octets, "")
    try:
        reader.opaque()
    except NkiError:
        return False
    return reader.pos == len(octets)


def hexadecimal(octets: bytes) -> str:
    """Bytes as they read in messages: ``d9 eb 00 81``."""
    return octets.hex(" ") or "no bytes"
