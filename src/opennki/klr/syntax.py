"""How the abstract syntax of KLR is declared: decorators, scalars, and the compiled schema.

A class body of annotations, under `node` for a structure or `union` and `constructor` for a choice,
becomes a slotted dataclass that knows its type tag, its constructor index and its fields. The
serialisers, the verifier and the walkers are written over these schemas; none of them lists fields.
Source: KLR abstract syntax (types, their tags, the order of constructors and fields).
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, auto
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, TypeVar

from typing_extensions import dataclass_transform


class Scalar(Enum):
    """Kinds of leaves."""

    NAT = auto()
    INT = auto()
    I32 = auto()
    F32 = auto()
    BOOL = auto()
    STR = auto()
    OPAQUE = auto()


Nat = Annotated[int, Scalar.NAT]
"""An integer from 0; files hold 64 bits."""

Int = Annotated[int, Scalar.INT]
"""An integer; files hold 64 bits with a sign."""

I32 = Annotated[int, Scalar.I32]
"""An integer of 32 bits with a sign."""

F32 = Annotated[float, Scalar.F32]
"""A float32, held as the Python float of the same value; others are rounded when written."""

Bool = Annotated[bool, Scalar.BOOL]
"""A truth value."""

Str = Annotated[str, Scalar.STR]
"""A text of Unicode scalar values."""

Opaque = Annotated[bytes, Scalar.OPAQUE]
"""One well-formed item of CBOR that is passed on and not looked into."""


class Node:
    """Base of structures, unions and their constructors. None of them hashes: all are mutable."""

    __slots__ = ()
    schema: ClassVar[Schema]

    def wire(self) -> Schema:
        """How this value is written: the schema of its structure or constructor."""
        return self.schema


class KlrEnum(Enum):
    """Base of enumerations: values are constructor indices; members hash by identity."""

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count

    def __str__(self) -> str:
        return self.klr

    @property
    def klr(self) -> str:
        """Spelling in KLR: the member's name but for Python's keywords, which end in `_` here."""
        return self.name.rstrip("_")

    @property
    def published(self) -> bool:
        """Whether the published syntax has the member."""
        return bool(self.value < enum_schema(type(self)).published)


@dataclass(frozen=True, slots=True)
class EnumSchema:
    """What a serialiser knows of an enumeration.

    Attributes: tag; members in the order of constructors; published, how many of them the published
    syntax has: they come first.
    """

    tag: int
    members: tuple[KlrEnum, ...]
    published: int
    by_name: dict[str, KlrEnum]


@dataclass(frozen=True, slots=True)
class ListOf:
    """The kind of a list."""

    of: Kind


@dataclass(frozen=True, slots=True)
class OptionOf:
    """The kind of a value that may be None."""

    of: Kind


Kind = Scalar | ListOf | OptionOf | type[KlrEnum] | type[Node]
"""What a field holds. A `Node` that is a union's base stands for its constructors."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    Attributes: name, in files; attr, of the object; kind; extension, whether the published syntax
    lacks it; default, makes the value that a file without the field means, if that may be.
    """

    name: str
    attr: str
    kind: Kind
    extension: bool
    default: Callable[[], Any] | None


class Schema:
    """What a serialiser knows of a structure, of a union, or of a constructor.

    Attributes: cls; tag, the type's; index, of the constructor; name, of the constructor or of the
    structure; build, makes a value from those of its fields; base, the union of a constructor;
    constructors, of a union; variant, whether it is a constructor; extension, whether the published
    syntax lacks that; proofs, fields that count and take no bytes; later, what published fields
    mean in files of before they were added.
    """

    __slots__ = (
        "_fields", "_layouts", "_published", "base", "build", "cls", "constructors", "extension",
        "index", "later", "name", "proofs", "tag", "variant",
    )  # fmt: skip

    def __init__(self, cls: type[Node], tag: int, name: str, index: int = 0) -> None:
        self.cls = cls
        self.tag = tag
        self.name = name
        self.index = index
        self.build: Callable[..., Node] = cls
        self.base: type[Node] | None = None
        self.constructors: list[Schema] = []
        self.variant = False
        self.extension = False
        self.proofs = 0
        self.later: Mapping[str, object] = {}
        self._fields: tuple[Field, ...] | None = None
        self._published: int | None = None
        self._layouts: tuple[frozenset[str], ...] | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that files hold, in order; compiled when first needed."""
        if self._fields is None:
            self._fields = tuple(_compiled(self.cls, self.later))
        return self._fields

    def set_fields(self, found: tuple[Field, ...]) -> None:
        """Give fields that are not those of the class."""
        self._fields = found

    @property
    def published(self) -> int:
        """How many fields the published syntax has; they come first."""
        if self._published is None:
            self._published = sum(not f.extension for f in self.fields)
        return self._published

    @property
    def layouts(self) -> tuple[frozenset[str], ...]:
        """Sets of names of fields that files may hold: published, older, and all of them."""
        if self._layouts is None:
            every = [f.name for f in self.fields]
            published = frozenset(every[: self.published])
            found = (published, published - set(self.later), frozenset(every))
            self._layouts = tuple(dict.fromkeys(found))
        return self._layouts

    def by_name(self, name: str) -> Schema | None:
        """Of a union: the constructor that is spelled so."""
        return next((c for c in self.constructors if c.name == name), None)


def extension(*, default: Any = MISSING, default_factory: Any = MISSING) -> Any:
    """A field that the published syntax has not; its default says what a file without it says."""
    made: Any = field(default=default, default_factory=default_factory, metadata={"wire": "+"})
    return made


def unwired(*, default: Any = MISSING, default_factory: Any = MISSING) -> Any:
    """A field that exists in memory only: neither compared nor shown, nor in files."""
    made: Any = field(
        default=default, default_factory=default_factory, compare=False, repr=False,
        metadata={"wire": "-"},
    )  # fmt: skip
    return made


T = TypeVar("T", bound=Node)
E = TypeVar("E", bound=KlrEnum)

_ENUMS: Final[dict[type[KlrEnum], EnumSchema]] = {}


def enumeration(tag: int, published: int) -> Callable[[type[E]], type[E]]:
    """Class decorator of enumerations; members after the first `published` are extensions."""

    def decorate(cls: type[E]) -> type[E]:
        members: tuple[KlrEnum, ...] = tuple(cls)
        assert published <= len(members)
        _ENUMS[cls] = EnumSchema(tag, members, published, {m.klr: m for m in members})
        return cls

    return decorate


def enum_schema(cls: type[KlrEnum]) -> EnumSchema:
    """The schema of an enumeration."""
    return _ENUMS[cls]


@dataclass_transform(field_specifiers=(field, extension, unwired))
def node(
    tag: int,
    *,
    constructor: str = "",
    proofs: int = 0,
    later: Mapping[str, object] | None = None,
) -> Callable[[type[T]], type[T]]:
    """Class decorator of structures.

    Args: tag; constructor, its name if the type is a choice with one constructor only; proofs and
        later as in `Schema`.
    """

    def decorate(cls: type[T]) -> type[T]:
        made = dataclass(slots=True)(cls)
        schema = Schema(made, tag, constructor or made.__name__)
        schema.proofs, schema.later = proofs, later or {}
        made.schema = schema
        if constructor:
            schema.variant = True
            schema.constructors.append(schema)
        return made

    return decorate


def union(tag: int) -> Callable[[type[T]], type[T]]:
    """Class decorator of the base of a choice. Its constructors follow, in their order."""

    def decorate(cls: type[T]) -> type[T]:
        cls.schema = Schema(cls, tag, cls.__name__)
        return cls

    return decorate


@dataclass_transform(field_specifiers=(field, extension, unwired))
def constructor(name: str, *, extends: bool = False) -> Callable[[type[T]], type[T]]:
    """Class decorator of a constructor of the union that the class inherits.

    Args: name; extends, whether the published syntax has it not.
    """

    def decorate(cls: type[T]) -> type[T]:
        made = dataclass(slots=True)(cls)
        base = made.__mro__[1]
        assert issubclass(base, Node)
        schema = Schema(made, base.schema.tag, name, len(base.schema.constructors))
        schema.base = base
        schema.variant = True
        schema.extension = extends
        made.schema = schema
        base.schema.constructors.append(schema)
        return made

    return decorate


def _compiled(cls: type[Node], later: Mapping[str, object]) -> Iterator[Field]:
    """The fields of a class that are in files, with their kinds."""
    hints = typing.get_type_hints(cls, include_extras=True)
    for found in fields(cls):  # type: ignore[arg-type]  # every node is a dataclass
        wire = found.metadata.get("wire")
        if wire == "-":
            continue
        default: Callable[[], Any] | None = None
        if found.name in later:
            default = _constant(later[found.name])
        elif found.default_factory is not MISSING:
            default = found.default_factory
        elif found.default is not MISSING:
            default = _constant(found.default)
        yield Field(found.name, found.name, _kind(hints[found.name]), wire == "+", default)


def _constant(value: object) -> Callable[[], object]:
    return lambda: value


def _kind(hint: Any) -> Kind:
    """The kind that an annotation means."""
    origin = typing.get_origin(hint)
    if origin is Annotated:
        found: Scalar = hint.__metadata__[0]
        return found
    if origin is list:
        return ListOf(_kind(typing.get_args(hint)[0]))
    if origin in (UnionType, typing.Union):
        rest = [a for a in typing.get_args(hint) if a is not NoneType]
        assert len(rest) == 1, hint
        return OptionOf(_kind(rest[0]))
    assert isinstance(hint, type), hint
    assert issubclass(hint, (Node, KlrEnum)), hint
    return hint


def article(name: str) -> str:
    """A name of the syntax as it reads in a message: ``an AluOp``."""
    return f"{'an' if name[:1] in 'AEIOaeiou' else 'a'} {name}"


def walk(root: object, *leaves: type[Node]) -> Iterator[Node]:
    """`root` and all nodes below it, parents first, in the order of fields.

    Args: root, a node or a list; leaves, types below whose nodes nothing is looked for.
    """
    pending: list[object] = [root]
    while pending:
        at = pending.pop()
        if isinstance(at, Node):
            yield at
            if at.__class__ not in leaves:
                pending += [getattr(at, f.attr) for f in reversed(at.wire().fields)]
        elif isinstance(at, list):
            pending += reversed(at)


def uses_extensions(root: object) -> bool:
    """Whether anything in `root` is outside the published syntax."""
    return any(extends(at) for at in walk(root))


def extends(at: Node) -> bool:
    """Whether the node itself, without what is below it, is outside the published syntax."""
    schema = at.wire()
    if schema.extension:
        return True
    for f in schema.fields:
        value = getattr(at, f.attr)
        if f.extension:
            assert f.default is not None
            if value != f.default():
                return True
            continue
        if isinstance(value, KlrEnum) and not value.published:
            return True
    return False
