"""Whatever a module holds, text and JSON give it back."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.loc import SrcLoc
from opennki.birpy import (
    OPCODES,
    AccessPattern,
    BasicBlock,
    DynamicIndex,
    DynamicLoop,
    EdgeKind,
    Function,
    Immediate,
    Instruction,
    Loop,
    MemoryLocation,
    MemoryType,
    Module,
    TensorKind,
    While,
    dumps,
    from_json,
    loads,
    parse_module,
    print_module,
    to_json,
)  # fmt: skip
from opennki.birpy.enums import CollectiveKind
from opennki.birpy.fields import (
    BOOL,
    CHANNEL,
    FLOAT,
    FLOATS,
    GROUPS,
    INT,
    INTS,
    PAIR,
    PATTERN,
    STR,
    STRS,
    TRIPLE,
    U8,
    U16,
    U32,
    U32S,
    Field,
)  # fmt: skip
from opennki.birpy.module import Item
from opennki.birpy.opcodes import MODELLED
from opennki.birpy.wire import IMMEDIATE_DTYPES
from opennki.isa.enums import AluOp, Engine

NAMES = st.text(max_size=6) | st.sampled_from(
    ["x", "I-3", "loop", "dynamic", "while", "after", "a.b", "0", "%x", '"']
)
INTS64 = st.integers(-(2**63), 2**63 - 1)
NUMBERS = st.floats() | INTS64
RANKS = st.lists(st.lists(INTS64, max_size=2).map(tuple), max_size=2).map(tuple)
VALUES = {
    BOOL: st.booleans(), STR: st.text(max_size=5), INT: INTS64, U8: st.integers(0, 255),
    U16: st.integers(0, 2**16 - 1), U32: st.integers(0, 2**32 - 1), FLOAT: NUMBERS,
    U32S: st.lists(st.integers(0, 2**32 - 1), max_size=3).map(tuple),
    FLOATS: st.lists(st.floats(allow_nan=False) | INTS64, max_size=3).map(tuple),
    PAIR: st.tuples(INTS64, INTS64), INTS: st.lists(INTS64, max_size=3).map(tuple),
    PATTERN: st.lists(st.tuples(INTS64, INTS64), max_size=3).map(tuple),
    GROUPS: RANKS, STRS: st.lists(st.text(max_size=3), max_size=3).map(tuple),
    TRIPLE: st.tuples(INTS64, INTS64, INTS64),
    CHANNEL: st.tuples(
        st.sampled_from(list(CollectiveKind.__members__)), RANKS,
        st.sampled_from(list(AluOp.__members__)),
    ),
}  # fmt: skip
LOCS = st.builds(
    SrcLoc, NAMES, st.integers(1, 99), st.integers(0, 9), st.integers(0, 9), NAMES,
    st.none() | st.builds(SrcLoc, NAMES, st.integers(1, 99)),
)  # fmt: skip


def value_of(field: Field) -> st.SearchStrategy[object]:
    enum = field.kind.enum
    if enum is not None:
        return st.sampled_from(list(enum))
    # NaN is not equal to itself in a dict; it has a test of its own.
    return VALUES[field.kind].filter(lambda v: v == v)


@st.composite
def attributes(draw, opcode: str) -> dict[str, object]:
    known = OPCODES[opcode]
    attrs = {
        f.key: draw(value_of(f))
        for f in known.fields.values()
        if f.required or draw(st.booleans())
    }  # fmt: skip
    return known.canonical(attrs)


@st.composite
def memlocs(draw, name: str) -> MemoryLocation:
    type = draw(st.sampled_from(MemoryType))
    if type is MemoryType.REG:  # has nothing but its name
        return MemoryLocation(name, type, TensorKind.Internal, dtypes.int32, (1, 1))
    dtype = draw(st.sampled_from(dtypes.ALL))
    shape = draw(st.lists(st.integers(0, 4), max_size=4).map(tuple))
    loc = MemoryLocation(
        name, type, draw(st.sampled_from(TensorKind)), dtype, shape,
        address=draw(st.none() | st.integers(0, 2**40)), partition=draw(st.integers(0, 127)),
        user_allocated=draw(st.booleans()), shared=draw(st.booleans()),
    )  # fmt: skip
    loc.bank = draw(st.none() | st.integers(0, 7))
    if draw(st.booleans()):
        loc.data = np.arange(math.prod(shape)).astype(dtype.np).reshape(shape)
        loc.loc = draw(LOCS)
    return loc


class Drawer:
    """Draws the body of a function."""

    def __init__(self, draw, locs: list[MemoryLocation]) -> None:
        self.draw = draw
        self.locs = locs
        self.registers = [loc for loc in locs if loc.type is MemoryType.REG]
        self.names: set[str] = set()
        self.earlier: list[str] = []

    def name(self) -> str:
        name = self.draw(NAMES.filter(lambda n: n not in self.names))
        self.names.add(name)
        return name

    def blocks(self, scope: tuple[LoopVar, ...], depth: int = 0) -> list[BasicBlock]:
        count = self.draw(st.integers(0, 2))
        return [BasicBlock(self.draw(NAMES), self.items(scope, depth)) for _ in range(count)]

    def items(self, scope: tuple[LoopVar, ...], depth: int = 0) -> list[Item]:
        items: list[Item] = []
        for _ in range(self.draw(st.integers(0, 3))):
            name = self.name()
            if depth < 2 and self.draw(st.booleans()):
                self.earlier.append(name)
                items.append(self.loop(name, scope, depth + 1))
            else:
                items.append(self.instruction(name, scope))
                self.earlier.append(name)
        return items

    def loop(self, name: str, scope: tuple[LoopVar, ...], depth: int) -> Item:
        draw = self.draw
        kind = draw(st.sampled_from("lwd")) if self.registers else "l"
        if kind == "w":
            register = draw(st.sampled_from(self.registers))
            return While(name, register, self.blocks(scope, depth), draw(LOCS), self.new())
        if kind == "d":
            end = st.integers(-(2**31), 2**31 - 1) | st.sampled_from(self.registers)
            return DynamicLoop(
                name, draw(st.sampled_from(self.registers)), draw(end), draw(end),
                draw(st.integers(1, 9)), self.blocks(scope, depth), draw(LOCS), self.new(),
            )  # fmt: skip
        taken = {v.name for v in scope}
        bound = st.integers(-9, 9)
        var = LoopVar(
            draw(NAMES.filter(lambda n: n not in taken)), draw(bound), draw(bound),
            draw(bound.filter(bool)),
        )  # fmt: skip
        body = self.blocks((*scope, var), depth)
        return Loop(name, var, body, draw(st.booleans()), draw(LOCS))

    def new(self) -> list[MemoryLocation]:
        return self.draw(st.lists(st.sampled_from(self.locs), max_size=2))

    def instruction(self, name: str, scope: tuple[LoopVar, ...]) -> Instruction:
        draw = self.draw
        opcode = draw(st.sampled_from(MODELLED))
        edges = []
        if self.earlier:
            edge = st.tuples(st.sampled_from(self.earlier), st.sampled_from(EdgeKind))
            edges = draw(st.lists(edge, max_size=2))
        return Instruction(
            opcode, draw(st.sampled_from(Engine)), name,
            tuple(self.operand(scope) for _ in range(draw(st.integers(0, 2)))),
            tuple(self.operand(scope) for _ in range(draw(st.integers(0, 2)))),
            draw(attributes(opcode)), draw(LOCS), tuple(edges),
        )  # fmt: skip

    def operand(self, scope: tuple[LoopVar, ...]) -> AccessPattern | Immediate:
        draw = self.draw
        if not self.locs or draw(st.booleans()):
            dtype = draw(st.sampled_from(sorted(IMMEDIATE_DTYPES)))
            return Immediate(dtype, draw(NUMBERS))
        return self.access(draw(st.sampled_from(self.locs)), scope)

    def access(
        self, loc: MemoryLocation, scope: tuple[LoopVar, ...], index: DynamicIndex | None = None
    ) -> AccessPattern:
        draw = self.draw
        if loc.type is MemoryType.REG:
            return AccessPattern(loc, 0, ((1, 1), (1, 1)), loc.dtype)
        offset: int | AffineExpr = draw(INTS64)
        if scope and draw(st.booleans()):
            terms = {v: draw(st.integers(-3, 3)) for v in scope}
            if any(terms.values()):
                offset = AffineExpr(terms, draw(st.integers(-9, 9)))
        ap = draw(st.lists(st.tuples(INTS64, INTS64), max_size=5).map(tuple))
        if draw(st.booleans()):
            steps = [math.prod(loc.shape[k + 1 :]) for k in range(len(loc.shape))]
            offset, ap = 0, tuple(zip(steps, loc.shape, strict=True))
        nested = [r for r in self.locs if r.type in (MemoryType.REG, MemoryType.SB)]
        found = None
        if nested and index is None and draw(st.booleans()):
            found = DynamicIndex(None, draw(INTS64), draw(INTS64), draw(st.booleans()))
            source = self.access(draw(st.sampled_from(nested)), scope, found)
            found = replace(found, source=source)
            ap = ap or ((1, 1),)
        return AccessPattern(loc, offset, ap, draw(st.sampled_from(dtypes.ALL)), found)


@st.composite
def modules(draw) -> Module:
    functions, kernels = [], []
    for name in draw(st.lists(NAMES, max_size=3, unique=True)):
        names = draw(st.lists(NAMES, max_size=3, unique=True))
        locs = {n: draw(memlocs(n)) for n in names}
        ends = st.lists(st.sampled_from(names), max_size=2) if names else st.just([])
        draw(st.sampled_from([functions, kernels])).append(
            Function(
                name, locs, Drawer(draw, list(locs.values())).blocks(()), draw(ends), draw(ends),
                draw(st.lists(NAMES, max_size=1)),
            )
        )  # fmt: skip
    scalar = st.booleans() | INTS64 | st.floats(allow_nan=False, allow_infinity=False) | NAMES
    attrs = draw(st.dictionaries(NAMES, scalar | st.tuples(scalar, scalar), max_size=2))
    arch = draw(st.sampled_from(["sunda", "gen3", "core_v4"]))
    return Module(functions, arch, 2, attrs, kernels)


COMMON = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def functions_of(module: Module) -> list[Function]:
    return [*module.functions, *module.nki_functions]


def same_data(a: Module, b: Module) -> bool:
    pairs = [
        (x.data, y.data)
        for f, g in zip(functions_of(a), functions_of(b), strict=True)
        for x, y in zip(f.memlocs.values(), g.memlocs.values(), strict=True)
    ]
    return all(
        x is y is None or (x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes())
        for x, y in pairs
    )


@COMMON
@given(modules())
def test_text_gives_the_module_back(module):
    text = print_module(module)
    again = parse_module(text)
    assert again == module
    assert same_data(again, module)
    # What is printed again differs only in the comments that hold locations.
    bare = print_module(again)
    assert parse_module(bare) == module
    assert print_module(parse_module(bare)) == bare


@COMMON
@given(modules())
def test_json_gives_the_module_back(module):
    text = dumps(module)
    again = loads(text)
    assert again == module
    assert same_data(again, module)
    assert dumps(again) == text  # locations included
    assert from_json(json.loads(json.dumps(to_json(module)))) == module


def one(attrs: dict[str, object], *ins: Immediate) -> Module:
    inst = Instruction("Activation", Engine.ACT, "a", ins, (), attrs)
    return Module([Function("f", blocks=[BasicBlock("Block1", [inst])])], "gen3")


def test_infinities_nan_and_signed_zero_survive():
    values = (math.inf, -math.inf, math.nan, -0.0, 5e-324, 0.1)
    for value in values:
        module = one(
            {"scale": value, "alpha": 1.0}, *(Immediate(dtypes.float32, v) for v in values)
        )
        for again in (parse_module(print_module(module)), loads(dumps(module))):
            got = next(again.functions[0].instructions())
            numbers = [got.attrs["scale"], *(arg.value for arg in got.ins)]
            assert list(map(repr, numbers)) == list(map(repr, [value, *values]))


def test_every_dtype_is_told_apart():
    locs = {
        d: MemoryLocation(d, MemoryType.DRAM, TensorKind.Const, d, (2,)) for d in dtypes.ALL
    }  # fmt: skip
    module = Module([Function("f", locs)], "gen3")
    for again in (parse_module(print_module(module)), loads(dumps(module))):
        assert [loc.dtype for loc in again.functions[0].memlocs.values()] == list(dtypes.ALL)


def test_locations_keep_their_callers_in_json():
    module = one({"scale": 1.0, "alpha": 0.0})
    inst = next(module.functions[0].instructions())
    inst.loc = SrcLoc("k.py", 7, 4, 9, "tile", SrcLoc("k.py", 20, 0, 0, "kernel"), 8)
    got = next(loads(dumps(module)).functions[0].instructions()).loc
    for loc, want in zip(got.chain(), inst.loc.chain(), strict=True):
        fields = ("file", "line", "col", "end_line", "end_col", "function")
        assert [getattr(loc, f) for f in fields] == [getattr(want, f) for f in fields]


def test_attributes_with_default_values_come_back_absent():
    module = one({"scale": 1.0, "alpha": 0.0, "is_activate2": False})
    assert next(loads(dumps(module)).functions[0].instructions()).attrs == {
        "scale": 1.0, "alpha": 0.0,
    }  # fmt: skip
