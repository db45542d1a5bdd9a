"""BIR as JSON, in BIR's own file format (version 2). `wire` lists the keys that are ours.

Reading is in `wire_reader`; storages hold one location each. Attributes that equal their default
are not written, and come back absent (`Opcode.canonical`).
Source: BIR data model, "Wire format".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI4004, NKI4007, NKI4008, NKI4009, NKI4011, NKI9003
from opennki.base.constants import base64_text
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest

from .access import AccessPattern, Argument, DynamicIndex
from .fields import encode_number
from .instruction import Instruction
from .memloc import MemoryLocation, MemoryType
from .module import BasicBlock, DynamicLoop, Function, Item, Loop, Module, While
from .opcodes import MODELLED, OPCODES
from .wire import FIXED, IMMEDIATE_DTYPES, VERSION, Bad, Json, affine_to_wire, dtype_keys, mistyped
from .wire_reader import read_module

__all__ = ["dumps", "from_json", "loads", "to_json"]


def to_json(module: Module) -> Json:
    """`module` as a JSON document (dicts, lists, strings, numbers).

    Raises: NKI9003 for an opcode whose attributes are not modelled; NKI4009, NKI4010, NKI4011 for
        an attribute that is missing, ill-typed or unknown, an immediate of a dtype that immediates
        cannot have, a module attribute that JSON has no form for; NKI4007 for another version.
    """
    try:
        return _Encoder().module(module)
    except Bad as bad:
        raise bad.error() from None


def dumps(module: Module, indent: int | None = None) -> str:
    """`module` as JSON text with sorted keys. Raises: as `to_json`."""
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(
        to_json(module), sort_keys=True, indent=indent, separators=separators, allow_nan=False
    )


def from_json(document: object) -> Module:
    """The module that a JSON document describes.

    Raises: NKI4003 to NKI4005 for words and names, NKI4007 for another version, NKI4009 to NKI4011
        for missing, ill-typed and unknown fields, NKI4015 for numbers; each notes the path.
    """
    try:
        return read_module(document)
    except Bad as bad:
        raise bad.error() from None


def loads(text: str | bytes) -> Module:
    """The module that JSON text describes. Raises: NKI4008 if it is not JSON, or as `from_json`."""
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except Bad as bad:
        raise bad.error() from None
    except (ValueError, RecursionError) as error:
        raise fail(NKI4008, UNKNOWN, text=str(error)) from None
    return from_json(document)


def _object(pairs: list[tuple[str, object]]) -> Json:
    obj = dict(pairs)
    if len(obj) != len(pairs):
        keys = [key for key, _ in pairs]
        raise Bad([], NKI4004, kind="key", name=next(k for k in keys if keys.count(k) > 1))
    return obj


def _no_constant(name: str) -> object:
    raise ValueError(f'{name} stands where a number is expected; write "inf", "-inf" or "nan"')


class _Encoder:
    """Builds the document; remembers what instructions share."""

    def __init__(self) -> None:
        self._locations: list[list[object]] = []
        self._indices: dict[SrcLoc, int] = {}
        self._attrs: dict[tuple[str, int], Json] = {}

    def module(self, module: Module) -> Json:
        if module.version != VERSION:
            raise Bad(["version"], NKI4007, form="BIR", got=module.version, want=VERSION)
        doc: Json = {"version": module.version, "arch": module.arch}
        doc["functions"] = [self._function(f) for f in module.functions]
        if module.nki_functions:
            doc["nki_functions"] = [self._function(f) for f in module.nki_functions]
        if module.attributes:
            doc["attributes"] = {
                key: _plain(value, ["attributes", key]) for key, value in module.attributes.items()
            }
        if self._locations:
            doc["opennki_locations"] = self._locations
        return doc

    def _function(self, function: Function) -> Json:
        obj: Json = {
            "name": function.name,
            "allocations": [self._memloc(loc) for loc in function.memlocs.values()],
            "blocks": [self._block(b) for b in function.blocks],
            "opennki_inputs": list(function.inputs),
            "opennki_outputs": list(function.outputs),
        }
        if function.attributes:
            obj["attributes"] = list(function.attributes)
        return obj

    def _memloc(self, loc: MemoryLocation) -> Json:
        if loc.type is MemoryType.REG:
            register: Json = {"Skind": "register", "name": loc.name, **dtype_keys(loc.dtype)}
            if loc.loc is not UNKNOWN:
                register["opennki_location"] = self._location(loc.loc)
            return register
        place: Json = {
            "Skind": "memory_location",
            "name": loc.name,
            "type": loc.type.name,
            "dims": [loc.shape[0] if loc.shape else 1, loc.row_bytes],
        }
        if loc.address is not None:
            place.update(allocated=True, addr=loc.address)
        if loc.partition:
            place["base"] = loc.partition
        if loc.bank is not None:
            place["bank"] = loc.bank
        if loc.user_allocated:
            place["user_allocated"] = True
        obj: Json = {
            "Skind": "memory_location_set",
            "name": f"{loc.name}_set",
            "kind": loc.kind.name,
            "tensor_shape": list(loc.shape),
            "memorylocations": [place],
            "tensorId2MemLocSize": 1,
            **dtype_keys(loc.dtype),
        }
        if loc.shared:
            obj["addr_space"] = "Shared"
        if loc.data is not None:
            obj["opennki_data"] = base64_text(loc.data, loc.dtype)
        if loc.loc is not UNKNOWN:
            obj["opennki_location"] = self._location(loc.loc)
        return obj

    def _block(self, block: BasicBlock) -> Json:
        return {"name": block.name, "instructions": [self._item(i) for i in block.instructions]}

    def _item(self, item: Item) -> Json:
        if isinstance(item, Instruction):
            return self._instruction(item)
        return self._loop(item) if isinstance(item, Loop) else self._dynamic(item)

    def _dynamic(self, loop: DynamicLoop | While) -> Json:
        obj: Json = {"name": loop.name}
        if isinstance(loop, While):
            obj |= {"opcode": "DoWhile", "cond": _end(loop.condition), "opennki_tests_first": True}
        else:
            obj |= {
                "opcode": "DynamicForLoop", "DynamicForLoopAxis": loop.register.name,
                "lb": _end(loop.start), "ub": _end(loop.stop), "stride": loop.step,
            }  # fmt: skip
        obj["blocks"] = [self._block(b) for b in loop.blocks]
        if loop.new:
            obj["opennki_new"] = [loc.name for loc in loop.new]
        if loop.loc is not UNKNOWN:
            obj["debug"] = {"opennki_location": self._location(loop.loc)}
        return obj

    def _loop(self, loop: Loop) -> Json:
        axis = loop.axis
        obj: Json = {
            "opcode": "Loop",
            "name": loop.name,
            "LoopAxis": {
                "name": axis.name, "lb": axis.start, "ub": axis.stop, "stride": axis.step,
            },
            "blocks": [self._block(b) for b in loop.blocks],
        }  # fmt: skip
        if loop.parallel:
            obj["isParallel"] = True
        if loop.loc is not UNKNOWN:
            obj["debug"] = {"opennki_location": self._location(loop.loc)}
        return obj

    def _instruction(self, inst: Instruction) -> Json:
        attrs = self._attrs.get((inst.opcode, id(inst.attrs)))
        if attrs is None:
            try:
                attrs = _encode_attrs(inst.opcode, inst.attrs)
            except Bad as bad:
                bad.path.insert(0, inst.name)
                raise
            self._attrs[inst.opcode, id(inst.attrs)] = attrs
        indirect: list[Json] = []
        obj: Json = {
            "opcode": inst.opcode,
            "name": inst.name,
            "engine": inst.engine.bir,
            "ins": [_argument(arg, inst.name, indirect) for arg in inst.ins],
            "outs": [_argument(arg, inst.name, indirect) for arg in inst.outs],
            **FIXED,
            **attrs,
        }
        if indirect:
            obj["indirection_ins"] = indirect
        if inst.dependencies:
            obj["dependencies"] = [[name, kind.name] for name, kind in inst.dependencies]
        if inst.loc is not UNKNOWN:
            obj["debug"] = {"opennki_location": self._location(inst.loc)}
        return obj

    def _location(self, loc: SrcLoc) -> int:
        """Index of a location in the table; callers come before the locations they call."""
        index = self._indices.get(loc)
        if index is None:
            caller = -1 if loc.caller is None else self._location(loc.caller)
            index = self._indices[loc] = len(self._locations)
            self._locations.append(
                [loc.file, loc.line, loc.col, loc.end_line, loc.end_col, loc.function, caller]
            )
        return index


def _end(value: int | MemoryLocation) -> int | Json:
    """The end of a loop: a number, or the value of a register."""
    if isinstance(value, int):
        return value
    return {"kind": "IntRuntimeValueKind", "regref": value.name}


def _dynamic_info(index: DynamicIndex, inst: str, indirect: list[Json]) -> Json:
    """A run-time index; where it is read from SB, that becomes the next of `indirect`."""
    if index.source.memloc.type is MemoryType.REG:
        found: Json = {"kind": "IntRuntimeValueKind", "regref": index.source.memloc.name}
    else:
        found = {"kind": "IndirectArgId", "arg_id": len(indirect)}
        indirect.append(_argument(index.source, inst, []))
    terms = [{"idx": found, "coeff": index.stride}]
    info: Json = {
        "offset_expr": {"kind": "AffExprKind", "terms": terms, "c": 0},
        "indirect_dim_max_index": index.limit - 1,
        "num_indirect_args": 1,
    }
    if index.vector or index.snake:
        info["indirect_dim"] = "W" if index.vector else "X"
    return info


def _argument(arg: Argument, inst: str, indirect: list[Json]) -> Json:
    if isinstance(arg, AccessPattern) and arg.memloc.type is MemoryType.REG:
        obj: Json = {"kind": "register_access", "regref": arg.memloc.name}
    elif isinstance(arg, AccessPattern):
        name = arg.memloc.name
        offset = arg.offset
        obj = {
            "kind": "physical_ap",
            "ap": list(map(list, arg.ap)),
            "offset": affine_to_wire(offset) if isinstance(offset, AffineExpr) else offset,
            "memref": name,
            "memsetref": f"{name}_set",
            "access_shape": [num for _, num in arg.ap],
        }
        if arg.index is not None:
            obj["dynamic_ap_info"] = _dynamic_info(arg.index, inst, indirect)
    else:
        if arg.dtype not in IMMEDIATE_DTYPES:
            path: list[str | int] = [inst, "ins", "dtype"]
            raise mistyped(path, "a dtype that immediates can have", str(arg.dtype))
        obj = {"kind": "imm_value", "value": encode_number(arg.value)}
    obj.update(dtype_keys(arg.dtype))
    return obj


def _encode_attrs(opcode: str, attrs: Mapping[str, object]) -> Json:
    known = OPCODES.get(opcode)
    if known is None or known.fields is None:
        instead = f"use {', '.join(MODELLED)}"
        raise Bad(["opcode"], NKI9003, what=f"opcode {opcode}", instead=instead)
    unknown = attrs.keys() - known.fields
    if unknown:
        raise Bad([min(unknown)], NKI4011, close=nearest(min(unknown), known.fields))
    obj: Json = {}
    kept = known.canonical(attrs)
    for key, field in known.fields.items():
        if key in kept:
            value = kept[key]
        elif field.written:
            value = field.default
        elif field.required:
            raise Bad([key], NKI4009)
        else:
            continue
        if not field.kind.accepts(value):
            raise mistyped([key], field.kind.expected, str(value))
        obj[key] = field.kind.encode(value)
    return obj


def _plain(value: object, path: list[str | int]) -> object:
    """A module attribute: string, number, bool, or a tuple of these."""
    if isinstance(value, tuple):
        return [_plain(item, path) for item in value]
    if isinstance(value, (str, int)) or (isinstance(value, float) and isfinite(value)):
        return value
    raise mistyped(path, "a string, a finite number, a bool or a tuple of these", str(value))
