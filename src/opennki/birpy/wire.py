"""What both directions of the JSON form share: its keys, and the checks of a reader.

The keys are those of BIR's own files, version 2. Ours begin with ``opennki_``:

==================================  ==============================================================
top level, opennki_locations        source locations: ``[file, line, col, end_line, end_col,
                                    function, caller]``, caller being an earlier index or -1
debug: {opennki_location}           index of an instruction's or loop's location
storage, opennki_location           index of a storage's location
storage, opennki_data               contents of a constant: base64 of its bytes
function, opennki_inputs, _outputs  names of storages in argument and result order
storage or operand, opennki_dtype   ``bool``, which the wire calls uint8
Matmult, opennki_accumulate         see `opcodes`
DoWhile, opennki_tests_first        true: the condition is tested before the first trip, too
run-time loop, opennki_new          names of storages that begin anew in every trip
==================================  ==============================================================

What the data model has no place for is written as a constant (`FIXED`) and must be read as such:
a file that says otherwise is refused rather than half understood. Source: BIR data model, "Wire
format"; the inner keys of ``debug`` are not known, hence ours.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.codes import NKI4003, NKI4005, NKI4009, NKI4010, NKI4011
from opennki.base.diag import Code, NkiError, fail
from opennki.base.dtypes import DType
from opennki.base.loc import UNKNOWN
from opennki.base.text import nearest

Json = dict[str, Any]
T = TypeVar("T")

FIXED: Final[Json] = {"engine_id": 0, "origin": "NKI", "scheduled_start": 0, "scheduled_end": 0}
"""Keys that every instruction has and the data model lacks."""

ARCHES: Final = ("inferentia", "sunda", "gen3", "core_v4")
VERSION: Final = 2
MAX_NESTING: Final = 64
"""Loops inside each other that readers and the verifier accept."""

IMMEDIATE_DTYPES: Final = frozenset({
    dtypes.bool_, dtypes.uint8, dtypes.int8, dtypes.uint16, dtypes.int16, dtypes.bfloat16,
    dtypes.float16, dtypes.uint32, dtypes.int32, dtypes.float32, dtypes.uint64, dtypes.int64,
})  # fmt: skip
"""What an immediate operand may be. Source: BIR data model, "Operands"."""


class Bad(Exception):
    """A value that the form does not allow; its path grows as it passes through the callers."""

    def __init__(self, path: list[str | int], code: Code, **facts: object) -> None:
        super().__init__(code.id)
        self.path = path
        self.code = code
        self.facts = facts

    def error(self) -> NkiError:
        """As the user sees it: the last step of the path is the field."""
        where = path_text(self.path[:-1])
        facts = {"where": where, "field": self.path[-1] if self.path else "", **self.facts}
        return fail(self.code, UNKNOWN, notes=[f"at {path_text(self.path)}"], **facts)


def path_text(path: list[str | int]) -> str:
    """``functions[0].name``; ``the document`` for the empty path."""
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
    return text.lstrip(".") or "the document"


def mistyped(path: list[str | int], expected: str, got: object) -> Bad:
    """NKI4010: what is there is not what belongs there. To be raised."""
    return Bad(path, NKI4010, expected=expected, got=describe(got))


def describe(value: object) -> str:
    """A value of a JSON document in a few words."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 40 else f'"{value[:40]}..."'
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        text = str(value)
        return text if len(text) <= 40 else f"an array of {len(value)}"
    return "null" if value is None else str(value)[:40]


_NOUNS: Final[dict[type, str]] = {
    int: "an integer", str: "a string", bool: "true or false", list: "an array", dict: "an object",
}  # fmt: skip


def present(obj: Json, key: str) -> object:
    """``obj[key]``, which must be there. Raises: Bad."""
    if key not in obj:
        raise Bad([key], NKI4009)
    return obj[key]


def need(obj: Json, key: str, cls: type[T]) -> T:
    """``obj[key]``, which must be there and be of class `cls`. Raises: Bad."""
    value = present(obj, key)
    if value.__class__ is not cls:
        raise mistyped([key], _NOUNS[cls], value)
    return value


def take(obj: Json, key: str, default: T) -> T:
    """``obj[key]`` of the class of `default`, or `default` when it is absent. Raises: Bad."""
    if key not in obj:
        return default
    return need(obj, key, default.__class__)


def only(obj: object, allowed: Collection[str]) -> Json:
    """`obj`, which must be an object with no keys but `allowed`. Raises: Bad."""
    if obj.__class__ is not dict:
        raise mistyped([], "an object", obj)
    extra = obj.keys() - allowed
    if extra:
        key = min(extra)
        raise Bad([key], NKI4011, close=nearest(key, allowed))
    return obj


def each(obj: Json, key: str, decode: Callable[[Any], T]) -> list[T]:
    """`decode` of every item of the array ``obj[key]``. Raises: Bad, with the item's index."""
    array = need(obj, key, list)
    items: list[T] = []
    try:
        for item in array:
            items.append(decode(item))
    except Bad as bad:
        bad.path[:0] = [key, len(items)]
        raise
    return items


def fixed(obj: Json, **values: object) -> None:
    """`obj` must have exactly these values under these keys. Raises: Bad."""
    for key, value in values.items():
        got = present(obj, key)
        if got != value or got.__class__ is not value.__class__:
            raise mistyped([key], describe(value), got)


def inside(key: str, decode: Callable[[Any], T], value: object) -> T:
    """``decode(value)``; what is bad about it is reported under `key`."""
    try:
        return decode(value)
    except Bad as bad:
        bad.path.insert(0, key)
        raise


def member(obj: Json, key: str, kind: str, names: Mapping[str, T]) -> T:
    """The entry of a fixed table that ``obj[key]`` names. Raises: Bad."""
    name = need(obj, key, str)
    if name not in names:
        raise Bad([key], NKI4003, kind=kind, name=name, close=nearest(name, names))
    return names[name]


def defined(path: list[str | int], kind: str, name: str, names: Mapping[str, T]) -> T:
    """What the document defines as `name`. Raises: Bad."""
    if name not in names:
        raise Bad(path, NKI4005, kind=kind, name=name, close=nearest(name, names))
    return names[name]


def dtype_of(obj: Json) -> DType:
    """The dtype that ``dtype`` and ``opennki_dtype`` name. Raises: Bad."""
    found = member(obj, "dtype", "dtype", _DTYPES)
    if "opennki_dtype" in obj:
        if obj["opennki_dtype"] != "bool" or found is not dtypes.uint8:
            got = obj["opennki_dtype"]
            raise mistyped(["opennki_dtype"], '"bool" beside the dtype uint8', got)
        return dtypes.bool_
    return found


_DTYPES: Final = {d.bir: d for d in dtypes.ALL if d is not dtypes.bool_}


def dtype_keys(dtype: DType) -> Json:
    """The keys that name `dtype`."""
    if dtype is dtypes.bool_:
        return {"dtype": "uint8", "opennki_dtype": "bool"}
    return {"dtype": dtype.bir}


def affine_to_wire(expr: AffineExpr) -> Json:
    """A sum of loop variables as an expression object."""
    terms = [
        {"idx": {"kind": "AffIVKind", "axis": var.name}, "coeff": coeff}
        for var, coeff in expr.terms
    ]
    return {"kind": "AffExprKind", "terms": terms, "c": expr.const}


def affine_from_wire(obj: object, scope: Mapping[str, LoopVar]) -> AffineExpr:
    """A sum of loop variables that are in `scope`. Raises: Bad."""

    def term(item: object) -> tuple[LoopVar, int]:
        entry = only(item, ("idx", "coeff"))
        return inside("idx", variable, need(entry, "idx", dict)), need(entry, "coeff", int)

    def variable(item: Json) -> LoopVar:
        fixed(item, kind="AffIVKind")
        axis = need(only(item, ("kind", "axis")), "axis", str)
        return defined(["axis"], "loop variable", axis, scope)

    expr = only(obj, ("kind", "terms", "c"))
    fixed(expr, kind="AffExprKind")
    total: dict[LoopVar, int] = {}
    for var, coeff in each(expr, "terms", term):
        total[var] = total.get(var, 0) + coeff
    return AffineExpr(total, need(expr, "c", int))
