"""The page of KLR: every type of the syntax with its tag, constructors and fields."""

from __future__ import annotations

import opennki.klr as surface
from opennki.klr import (
    OPERATORS,
    Engine,
    Field,
    KlrEnum,
    ListOf,
    Node,
    Operator,
    OptionOf,
    Scalar,
    Schema,
    enum_schema,
)
from opennki.klr.operators import PUBLISHED, fixed_engine

from .markdown import code, doc_of, first_sentence, page, prose, table

_SCALARS = {
    Scalar.NAT: "Nat", Scalar.INT: "Int", Scalar.I32: "Int32", Scalar.F32: "Float32",
    Scalar.BOOL: "Bool", Scalar.STR: "String", Scalar.OPAQUE: "one CBOR item",
}  # fmt: skip


def text() -> str:
    """The whole page."""
    types = [c for c in vars(surface).values() if isinstance(c, type)]
    nodes = [c for c in types if issubclass(c, Node) and _is_type(c)]
    enums = [c for c in types if issubclass(c, KlrEnum) and c is not KlrEnum]
    structures = set(OPERATORS.values())
    others = [c for c in nodes if c not in structures and c is not Operator]
    return page(
        "KLR",
        "Types of the syntax with their tags, as files hold them; `+` marks what is ours. How "
        "files are\nlaid out, and what the extensions are for: [klr.md](../design/klr.md).",
        "## Types",
        *map(_type, sorted(others, key=lambda c: c.schema.tag)),
        "## Enumerations",
        table(["enumeration", "tag", "members, from 0"], map(_enum, enums)),
        "## Operators",
        f"The {PUBLISHED} published ones, then ours. The engine orders a statement in a no-reorder "
        "block.",
        table(["kind", "operator", "engine", "structure"], map(_operator, enumerate(OPERATORS))),
        "## Structures of operators",
        *map(_type, sorted(structures, key=lambda c: c.schema.tag)),
    )


def _is_type(cls: type[Node]) -> bool:
    """Whether it is a structure or a union, rather than a constructor or the common base."""
    return cls is not Node and cls.schema.base is None


def _type(cls: type[Node]) -> str:
    schema = cls.schema
    made = schema.constructors or [schema]
    rows = [row for constructor in made for row in _rows(constructor)]
    head = [f"### {cls.__name__}", f"Tag {schema.tag}. {prose(first_sentence(doc_of(cls)))}"]
    if schema.constructors:
        return "\n\n".join([*head, table(["constructor", "fields"], map(_constructor, made))])
    return "\n\n".join([*head, table(["field", "type"], rows)])


def _constructor(schema: Schema) -> list[str]:
    fields = ", ".join(f"{code(f.name)}: {_kind(f)}" for f in schema.fields)
    return [code(schema.name), fields]


def _rows(schema: Schema) -> list[list[str]]:
    return [[f"{code(f.name)}{' +' if f.extension else ''}", _kind(f)] for f in schema.fields]


def _kind(field: Field) -> str:
    return _spelled(field.kind)


def _spelled(kind: object) -> str:
    if isinstance(kind, ListOf):
        return f"list of {_spelled(kind.of)}"
    if isinstance(kind, OptionOf):
        return f"{_spelled(kind.of)}, or none"
    if isinstance(kind, Scalar):
        return _SCALARS[kind]
    assert isinstance(kind, type)
    return kind.__name__


def _enum(cls: type[KlrEnum]) -> list[str]:
    schema = enum_schema(cls)
    members = ", ".join(code(m.klr) + ("" if m.published else " +") for m in schema.members)
    return [cls.__name__, str(schema.tag), members]


def _operator(entry: tuple[int, str]) -> list[str]:
    index, name = entry
    engine = fixed_engine(name)
    shown = "the operator's own" if engine is None else engine.klr
    struct = OPERATORS[name].__name__
    kind = str(index + 1) if index < PUBLISHED else f"{index + 1} +"
    return [
        kind, code(name), "any" if engine is Engine.unassigned else shown,
        f"[{struct}](#{struct.lower()})",
    ]  # fmt: skip
