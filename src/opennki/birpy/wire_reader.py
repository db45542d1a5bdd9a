"""Reads the JSON form of BIR: every key and every value is checked, nothing is skipped.

Errors are `wire.Bad`; `serde` turns them into diagnostics that note the path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.codes import NKI4004, NKI4005, NKI4007, NKI4009, NKI4015, NKI9003
from opennki.base.constants import from_base64
from opennki.base.dtypes import int32
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest
from opennki.isa.enums import Engine

from .access import AccessPattern, Argument, DynamicIndex, Immediate
from .fields import Field, decode_number
from .instruction import EdgeKind, Instruction
from .memloc import MemoryLocation, MemoryType, TensorKind
from .module import BasicBlock, DynamicLoop, Function, Item, Loop, Module, While
from .opcodes import MODELLED, OPCODES
from .wire import (
    ARCHES,
    FIXED,
    IMMEDIATE_DTYPES,
    MAX_NESTING,
    VERSION,
    Bad,
    Json,
    affine_from_wire,
    defined,
    dtype_of,
    each,
    fixed,
    inside,
    member,
    mistyped,
    need,
    only,
    present,
    take,
)  # fmt: skip

_TOP_KEYS: Final = (
    "version", "arch", "functions", "nki_functions", "attributes", "opennki_locations",
)  # fmt: skip
_ENGINES: Final = {engine.bir: engine for engine in Engine}
_SET_KEYS: Final = (
    "Skind", "name", "kind", "dtype", "tensor_shape", "memorylocations", "tensorId2MemLocSize",
    "addr_space", "opennki_data", "opennki_dtype", "opennki_location",
)  # fmt: skip
_PLACE_KEYS: Final = (
    "Skind", "name", "type", "dims", "allocated", "addr", "base", "bank", "user_allocated",
)  # fmt: skip
_HEADER: Final = frozenset(
    ("opcode", "name", "engine", "ins", "outs", "indirection_ins", "dependencies", "debug", *FIXED)
)
_DYNAMIC_KEYS: Final = (
    "opcode", "name", "DynamicForLoopAxis", "lb", "ub", "stride", "blocks", "debug",
    "opennki_new",
)  # fmt: skip
_WHILE_KEYS: Final = (
    "opcode", "name", "cond", "opennki_tests_first", "blocks", "debug", "opennki_new",
)  # fmt: skip
_LOOP_KEYS: Final = ("opcode", "name", "LoopAxis", "isParallel", "blocks", "debug")
_AP_KEYS: Final = (
    "kind", "ap", "offset", "dtype", "memref", "memsetref", "access_shape", "opennki_dtype",
    "dynamic_ap_info",
)  # fmt: skip
_ARCH_NAMES: Final = {arch: arch for arch in ARCHES}
_OPCODES: Final = ", ".join((*MODELLED, "Loop", "DynamicForLoop", "DoWhile"))
_PLACED: Final = {t.name: t for t in MemoryType if t is not MemoryType.REG}
_SPACES: Final = {"Local": False, "Shared": True}


def read_module(document: object) -> Module:
    """The module that `document` describes. Raises: Bad."""
    doc = only(document, _TOP_KEYS)
    if need(doc, "version", int) != VERSION:
        raise Bad(["version"], NKI4007, form="BIR", got=doc["version"], want=VERSION)
    locations: list[SrcLoc] = []
    if "opennki_locations" in doc:
        each(doc, "opennki_locations", lambda item: locations.append(_location(item, locations)))
    names: set[str] = set()

    def function(item: object) -> Function:
        return _FunctionReader(item, locations).read(names)

    module = Module(
        each(doc, "functions", function), member(doc, "arch", "architecture", _ARCH_NAMES)
    )
    if "nki_functions" in doc:
        module.nki_functions = each(doc, "nki_functions", function)
    attributes: Json = take(doc, "attributes", {})
    for key in attributes:
        module.attributes[key] = inside("attributes", partial(inside, key, _plain), attributes[key])
    return module


def _plain(value: object) -> object:
    if isinstance(value, list):
        return tuple(map(_plain, value))
    if isinstance(value, (str, int, float)):
        return value
    raise mistyped([], "a string, a number, a bool or an array of these", value)


def _location(item: object, earlier: list[SrcLoc]) -> SrcLoc:
    kinds = (str, int, int, int, int, str, int)
    if not isinstance(item, list) or tuple(map(type, item)) != kinds:
        raise mistyped([], "[file, line, col, end_line, end_col, function, caller]", item)
    file, line, col, end_line, end_col, function, caller = item
    if not -1 <= caller < len(earlier):
        raise Bad([6], NKI4015, got=caller, allowed="-1 or the index of an earlier location")
    above = None if caller < 0 else earlier[caller]
    return SrcLoc(file, line, col, end_col, function, above, end_line)


def _integers(obj: Json, key: str) -> tuple[int, ...]:
    values = tuple(need(obj, key, list))
    if any(v.__class__ is not int for v in values):
        raise mistyped([key], "an array of integers", obj[key])
    return values


class _FunctionReader:
    """Reads one function: knows its storages, loop variables in scope and instruction names."""

    def __init__(self, item: object, locations: list[SrcLoc]) -> None:
        self._obj = only(
            item,
            ("name", "attributes", "allocations", "blocks", "opennki_inputs", "opennki_outputs"),
        )
        self._locations = locations
        self._memlocs: dict[str, MemoryLocation] = {}
        self._scope: dict[str, LoopVar] = {}
        self._names: set[str] = set()
        self._keys: dict[str, frozenset[str]] = {}
        self._depth = 0
        self._indirect: list[AccessPattern] = []
        self._used = 0

    def read(self, taken: set[str]) -> Function:
        """The function; its name must not be in `taken`, and is added there."""
        obj = self._obj
        function = Function(need(obj, "name", str), self._memlocs)
        if function.name in taken:
            raise Bad(["name"], NKI4004, kind="function", name=function.name)
        taken.add(function.name)
        each(obj, "allocations", self._memloc)
        function.inputs = each(obj, "opennki_inputs", self._memloc_name)
        function.outputs = each(obj, "opennki_outputs", self._memloc_name)
        if "attributes" in obj:
            function.attributes = each(obj, "attributes", _string)
        function.blocks = each(obj, "blocks", self._block)
        each(obj, "blocks", self._check_dependencies)
        return function

    def _memloc_name(self, item: object) -> str:
        return defined([], "storage", _string(item), self._memlocs).name

    def _memloc(self, item: object) -> None:
        if isinstance(item, dict) and item.get("Skind") == "register":
            self._new_register(only(item, ("Skind", "name", "dtype", "opennki_location")))
            return
        obj = only(item, _SET_KEYS)
        fixed(obj, Skind="memory_location_set", tensorId2MemLocSize=1)
        shape = _integers(obj, "tensor_shape")
        if any(size < 0 for size in shape):
            raise Bad(["tensor_shape"], NKI4015, got=list(shape), allowed="sizes of 0 or more")
        places = each(obj, "memorylocations", self._place)
        if len(places) != 1:
            raise Bad(["memorylocations"], NKI4015, got=len(places), allowed="one location")
        place = places[0]
        name, type = place["name"], MemoryType[place["type"]]
        kind = member(obj, "kind", "tensor kind", TensorKind.__members__)
        loc = MemoryLocation(name, type, kind, dtype_of(obj), shape)
        fixed(obj, name=f"{name}_set")
        loc.address, loc.partition = place.get("addr"), place.get("base", 0)
        loc.bank, loc.user_allocated = place.get("bank"), place.get("user_allocated", False)
        if "addr_space" in obj:
            loc.shared = member(obj, "addr_space", "address space", _SPACES)
        dims = [shape[0] if shape else 1, loc.row_bytes]
        if place["dims"] != dims:
            path: list[str | int] = ["memorylocations", 0, "dims"]
            raise mistyped(path, f"{dims}, as shape and dtype say", place["dims"])
        if "opennki_data" in obj:
            loc.data = from_base64(need(obj, "opennki_data", str), loc.shape, loc.dtype)
            if loc.data is None:
                expected = f"base64 of {loc.size_bytes} bytes"
                raise mistyped(["opennki_data"], expected, obj["opennki_data"])
        loc.loc = self._loc(obj)
        self._memlocs[name] = loc

    def _new_register(self, obj: Json) -> None:
        name = need(obj, "name", str)
        if name in self._memlocs:
            raise Bad(["name"], NKI4004, kind="storage", name=name)
        fixed(obj, dtype=int32.bir)
        loc = MemoryLocation(name, MemoryType.REG, TensorKind.Internal, int32, (1, 1))
        loc.loc = self._loc(obj)
        self._memlocs[name] = loc

    def _register(self, obj: Json, key: str) -> MemoryLocation:
        """The register that ``obj[key]`` names."""
        registers = {n: m for n, m in self._memlocs.items() if m.type is MemoryType.REG}
        return defined([key], "register", need(obj, key, str), registers)

    def _end(self, obj: Json, key: str) -> int | MemoryLocation:
        """The end of a run-time loop: a number or a register's value."""
        if present(obj, key).__class__ is int:
            return need(obj, key, int)
        return inside(key, self._value, obj[key])

    def _value(self, item: object) -> MemoryLocation:
        obj = only(item, ("kind", "regref"))
        fixed(obj, kind="IntRuntimeValueKind")
        return self._register(obj, "regref")

    def _place(self, item: object) -> Json:
        place = only(item, _PLACE_KEYS)
        fixed(place, Skind="memory_location")
        if need(place, "name", str) in self._memlocs:
            raise Bad(["name"], NKI4004, kind="storage", name=place["name"])
        member(place, "type", "memory type", _PLACED)
        _integers(place, "dims")
        if take(place, "allocated", False) != ("addr" in place):
            raise mistyped(["allocated"], "true if there is an addr", place.get("allocated", False))
        for key in ("addr", "base", "bank"):
            take(place, key, 0)
        take(place, "user_allocated", False)
        return place

    def _loc(self, obj: Json) -> SrcLoc:
        index = take(obj, "opennki_location", -1)
        if index < -1 or index >= len(self._locations):
            allowed = f"below {len(self._locations)}"
            raise Bad(["opennki_location"], NKI4015, got=index, allowed=allowed)
        return UNKNOWN if index < 0 else self._locations[index]

    def _debug(self, obj: Json) -> SrcLoc:
        if "debug" not in obj:
            return UNKNOWN
        return inside("debug", lambda d: self._loc(only(d, ("opennki_location",))), obj["debug"])

    def _block(self, item: object) -> BasicBlock:
        obj = only(item, ("name", "instructions"))
        return BasicBlock(need(obj, "name", str), each(obj, "instructions", self._item))

    def _item(self, item: object) -> Item:
        if item.__class__ is not dict:
            raise mistyped([], "an object", item)
        obj: Json = item
        name = need(obj, "name", str)
        if name in self._names:
            raise Bad(["name"], NKI4004, kind="instruction", name=name)
        self._names.add(name)
        read = _LOOPS.get(str(obj.get("opcode")))
        return self._instruction(obj) if read is None else read(self, obj)

    def _body(self, obj: Json) -> list[BasicBlock]:
        """The blocks of a loop."""
        if self._depth == MAX_NESTING:
            allowed = f"at most {MAX_NESTING} loops inside each other"
            raise Bad(["blocks"], NKI4015, got=MAX_NESTING + 1, allowed=allowed)
        self._depth += 1
        blocks = each(obj, "blocks", self._block)
        self._depth -= 1
        return blocks

    def _dynamic(self, obj: Json) -> DynamicLoop:
        only(obj, _DYNAMIC_KEYS)
        step = need(obj, "stride", int)
        if step < 1:
            raise Bad(["stride"], NKI4015, got=step, allowed="1 or more")
        return DynamicLoop(
            obj["name"], self._register(obj, "DynamicForLoopAxis"), self._end(obj, "lb"),
            self._end(obj, "ub"), step, self._body(obj), self._debug(obj),
            _begun_anew(obj, self._memlocs),
        )  # fmt: skip

    def _while(self, obj: Json) -> While:
        only(obj, _WHILE_KEYS)
        fixed(obj, opennki_tests_first=True)
        condition = inside("cond", self._value, present(obj, "cond"))
        return While(
            obj["name"],
            condition,
            self._body(obj),
            self._debug(obj),
            _begun_anew(obj, self._memlocs),
        )

    def _loop(self, obj: Json) -> Loop:
        only(obj, _LOOP_KEYS)
        axis = inside("LoopAxis", self._axis, need(obj, "LoopAxis", dict))
        loop = Loop(obj["name"], axis, [], take(obj, "isParallel", False), self._debug(obj))
        self._scope[axis.name] = axis
        loop.blocks = self._body(obj)
        del self._scope[axis.name]
        return loop

    def _axis(self, item: object) -> LoopVar:
        obj = only(item, ("name", "lb", "ub", "stride"))
        name, step = need(obj, "name", str), need(obj, "stride", int)
        if name in self._scope:
            raise Bad(["name"], NKI4004, kind="loop variable", name=name)
        if step == 0:
            raise Bad(["stride"], NKI4015, got=step, allowed="any other integer")
        return LoopVar(name, need(obj, "lb", int), need(obj, "ub", int), step)

    def _instruction(self, obj: Json) -> Instruction:
        opcode = need(obj, "opcode", str)
        known = member(obj, "opcode", "opcode", OPCODES)
        if known.fields is None:
            raise Bad(["opcode"], NKI9003, what=f"opcode {opcode}", instead=f"use {_OPCODES}")
        keys = self._keys.get(opcode)
        if keys is None:
            keys = self._keys[opcode] = _HEADER | known.fields.keys()
        only(obj, keys)
        fixed(obj, **FIXED)
        edges = each(obj, "dependencies", _edge) if "dependencies" in obj else ()
        self._indirect, self._used = [], 0
        if "indirection_ins" in obj:
            self._indirect = each(obj, "indirection_ins", self._index_source)
        made = Instruction(
            opcode,
            member(obj, "engine", "engine", _ENGINES),
            obj["name"],
            tuple(each(obj, "ins", self._argument)),
            tuple(each(obj, "outs", self._argument)),
            known.canonical(_decode_attrs(obj, known.fields)),
            self._debug(obj),
            tuple(edges),
        )
        if self._used != len(self._indirect):
            allowed = f"one for each of {self._used} run-time indices"
            raise Bad(["indirection_ins"], NKI4015, got=len(self._indirect), allowed=allowed)
        return made

    def _index_source(self, item: object) -> AccessPattern:
        found = self._argument(item)
        if not isinstance(found, AccessPattern):
            raise mistyped(["kind"], "physical_ap", "imm_value")
        return found

    def _index(self, item: object) -> DynamicIndex:
        """The run-time part of an access."""
        keys = ("offset_expr", "indirect_dim_max_index", "num_indirect_args", "indirect_dim")
        info = only(item, keys)
        fixed(info, num_indirect_args=1)
        kind = ""
        if "indirect_dim" in info:
            kind = member(info, "indirect_dim", "dimension", {"W": "vector", "X": "snake"})
        expr = only(need(info, "offset_expr", dict), ("kind", "terms", "c"))
        fixed(expr, kind="AffExprKind", c=0)
        terms = each(expr, "terms", self._term)
        if len(terms) != 1:
            raise Bad(["offset_expr", "terms"], NKI4015, got=len(terms), allowed="one term")
        source, stride = terms[0]
        limit = need(info, "indirect_dim_max_index", int) + 1
        return DynamicIndex(source, stride, limit, kind == "vector", kind == "snake")

    def _term(self, item: object) -> tuple[AccessPattern, int]:
        term = only(item, ("idx", "coeff"))
        idx = need(term, "idx", dict)
        if idx.get("kind") == "IndirectArgId":
            only(idx, ("kind", "arg_id"))
            fixed(idx, arg_id=self._used)
            if self._used == len(self._indirect):
                allowed = f"below {len(self._indirect)}"
                raise Bad(["idx", "arg_id"], NKI4015, got=self._used, allowed=allowed)
            source = self._indirect[self._used]
            self._used += 1
        else:
            source = register_access(inside("idx", self._value, idx))
        return source, need(term, "coeff", int)

    def _argument(self, item: object) -> Argument:
        if item.__class__ is not dict:
            raise mistyped([], "an object", item)
        obj: Json = item
        kind = need(obj, "kind", str)
        if kind == "physical_ap":
            return self._access(only(obj, _AP_KEYS))
        if kind == "imm_value":
            return _immediate(only(obj, ("kind", "dtype", "value", "opennki_dtype")))
        if kind == "register_access":
            found = self._register(only(obj, ("kind", "dtype", "regref")), "regref")
            fixed(obj, dtype=int32.bir)
            return register_access(found)
        raise mistyped(["kind"], "physical_ap, register_access or imm_value", kind)

    def _access(self, obj: Json) -> AccessPattern:
        loc = defined(["memref"], "storage", need(obj, "memref", str), self._memlocs)
        fixed(obj, memsetref=f"{loc.name}_set")
        offset: int | AffineExpr
        start = present(obj, "offset")
        if isinstance(start, dict):
            offset = inside("offset", lambda o: affine_from_wire(o, self._scope), start)
        else:
            offset = need(obj, "offset", int)
        ap = tuple(each(obj, "ap", _pair))
        if need(obj, "access_shape", list) != [num for _, num in ap]:
            raise mistyped(["access_shape"], "the counts of ap", obj["access_shape"])
        index = None
        if "dynamic_ap_info" in obj:
            index = inside("dynamic_ap_info", self._index, obj["dynamic_ap_info"])
        return AccessPattern(loc, offset, ap, dtype_of(obj), index)

    def _check_dependencies(self, block: Json) -> None:
        """Second pass: every edge must lead to an instruction of this function."""

        def item(obj: Json) -> None:
            for index, (name, _) in enumerate(obj.get("dependencies", ())):
                if name not in self._names or name == obj["name"]:
                    others = [n for n in self._names if n != obj["name"]]
                    raise Bad(
                        ["dependencies", index, 0], NKI4005, kind="other instruction", name=name,
                        close=nearest(name, sorted(others)),
                    )  # fmt: skip
            if "blocks" in obj:
                each(obj, "blocks", self._check_dependencies)

        each(block, "instructions", item)


_LOOPS: Final[dict[str, Callable[[_FunctionReader, Json], Item]]] = {
    "Loop": _FunctionReader._loop, "DynamicForLoop": _FunctionReader._dynamic,
    "DoWhile": _FunctionReader._while,
}  # fmt: skip


def _begun_anew(obj: Json, memlocs: Mapping[str, MemoryLocation]) -> list[MemoryLocation]:
    """The storages that begin anew in every trip of a run-time loop."""
    if "opennki_new" not in obj:
        return []
    return each(obj, "opennki_new", lambda n: defined([], "storage", _string(n), memlocs))


def register_access(register: MemoryLocation) -> AccessPattern:
    """The access to a register."""
    return AccessPattern(register, 0, ((1, 1), (1, 1)), register.dtype)


def _string(item: object) -> str:
    if item.__class__ is not str:
        raise mistyped([], "a string", item)
    return item


def _pair(item: object) -> tuple[int, int]:
    if item.__class__ is list and list(map(type, item)) == [int, int]:
        return tuple(item)
    raise mistyped([], "[step, num]", item)


def _edge(item: object) -> tuple[str, EdgeKind]:
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
        kind = EdgeKind.__members__.get(item[1]) if isinstance(item[1], str) else None
        if kind is not None:
            return item[0], kind
    raise mistyped([], f"[name, one of {', '.join(EdgeKind.__members__)}]", item)


def _immediate(obj: Json) -> Immediate:
    dtype = dtype_of(obj)
    if dtype not in IMMEDIATE_DTYPES:
        raise mistyped(["dtype"], "a dtype that immediates can have", str(dtype))
    value = decode_number(present(obj, "value"))
    if value is None:
        raise mistyped(["value"], "a number", obj["value"])
    return Immediate(dtype, value)


def _decode_attrs(obj: Json, fields: Mapping[str, Field]) -> dict[str, object]:
    attrs = {}
    for key, field in fields.items():
        if key in obj:
            value = field.kind.decode(obj[key])
            if value is None:
                raise mistyped([key], field.kind.expected, obj[key])
            attrs[key] = value
        elif field.required or field.written:
            raise Bad([key], NKI4009)
    return attrs
