"""The structural rules, each violated alone."""

from __future__ import annotations

import pytest

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.loc import SrcLoc
from opennki.birpy import (
    AccessPattern,
    Immediate,
    Instruction,
    MemoryLocation,
    MemoryType,
    Module,
    TensorKind,
    parse_module,
    verify,
)
from opennki.isa.enums import AluOp, Engine

HEAD = """
bir.module arch=gen3 version=2 {
  function @f inputs=[x] outputs=[x] {
    memloc %x: float32[128, 512] DRAM ExternalInput
    memloc %t: float32[128, 64] SB Internal
    memloc %odd: uint8[128, 3] SB Internal
    block Block1 {
"""
TAIL = "\n}}}"


def module(body: str) -> Module:
    return parse_module(HEAD + body + TAIL)


def faults(body: str | Module) -> list[tuple[str, str]]:
    found = verify(module(body) if isinstance(body, str) else body)
    return [(d.code.id, d.message) for d in found]


def codes(body: str | Module) -> list[str]:
    return [code for code, _ in faults(body)]


def copy(access: str) -> str:
    return f"a = TensorCopy DVE outs({access}) ins(1.0:float32)"


@pytest.mark.parametrize(
    "access",
    [
        "%t", "%x", "%t[63; 64*128, 0*5]", "%t[63; 64*128, -1*64]", "%t[8128; 1*1, 1*64]",
        "%t[8128; 7*1, 1*64]", "%t[0; 64*128, 32*2, 1*32]", "%t[0; 128*128, 1*128]:bfloat16",
        "%t[31; 32*128, 1*1]:uint64",
        "%x[65535; 0*1, 1*1]", "%x[0; 1*2, 1*2, 1*2, 1*2, 1*2]", "%x[511; 512*128, -1*512]",
        "%x[0; 1*65536]", "%x[0; 0*1000, 1*512]", "%odd",
    ],
)  # fmt: skip
def test_accesses_inside_their_storage_are_fine(access):
    assert faults(copy(access)) == []


@pytest.mark.parametrize(
    ("access", "code", "words"),
    [
        ("%t[1; 64*128, 1*64]", "NKI3028", "elements 1 to 64 of partitions that have 64"),
        ("%t[0; 64*128, -1*2]", "NKI3028", "elements -1 to 0"),
        ("%t[64; 64*128, 1*64]", "NKI3029", "element 8192; the storage has the elements 0 to 8191"),
        ("%t[-64; 64*1, 1*64]", "NKI3029", "element -64"),
        ("%t[0; 32*128, 1*32]", "NKI3028", "steps by 32"),
        ("%t[0; 128*64, 1*64]", "NKI3028", "steps by 128"),
        ("%t[0; 64*128, 1*0]", "NKI3028", "a count is 0"),
        ("%t[0;]", "NKI3028", "0 pairs"),
        ("%t[0; 64*1, 1*1, 1*1, 1*1, 1*1, 1*1]", "NKI3028", "6 pairs"),
        ("%t[0; 64*128, 1*64]:bfloat16", "NKI3028", "steps by 64"),
        ("%odd[0; 1*128, 1*1]:int16", "NKI3028", "3 bytes cannot be read as int16"),
        ("%x[0; -512*2, 1*512]", "NKI3028", "first pair is negative"),
        ("%x[1; 512*128, 1*512]", "NKI3029", "element 65536; the storage has"),
        ("%x[0; 512*128, 1*512]:uint64", "NKI3029", "elements 0 to 32767"),
        ("%x[0; 1*2, -1*2]", "NKI3029", "element -1"),
    ],
)  # fmt: skip
def test_accesses_outside_their_storage_are_reported(access, code, words):
    ((got, message),) = faults(copy(access))
    assert got == code
    assert words in message


def loop(access: str, bounds: str = "0..4") -> str:
    return f"loop L i = {bounds} {{ block b {{ {copy(access)} }} }}"


@pytest.mark.parametrize(
    ("access", "bounds", "want"),
    [
        ("%t[16*i; 64*128, 1*16]", "0..4", []),
        ("%t[16*i; 64*128, 1*17]", "0..4", ["NKI3028"]),
        ("%t[16*i; 64*128, 1*16]", "0..5", ["NKI3029"]),
        ("%t[64*i; 64*1, 1*64]", "0..128", []),
        ("%t[64*i; 64*1, 1*64]", "0..129", ["NKI3029"]),
        ("%t[64*i; 64*32, 1*64]", "0..128 step 32", []),
        ("%t[65*i; 64*1, 1*1]", "0..64", []),  # a diagonal
        ("%t[65*i; 64*1, 1*2]", "0..64", ["NKI3028"]),
        ("%t[-16*i + 48; 64*128, 1*16]", "0..4", []),
        ("%t[-16*i + 32; 64*128, 1*16]", "0..4", ["NKI3029"]),
        ("%x[512*i; 512*1, 1*512]", "0..128", []),
        ("%x[512*i; 512*1, 1*512]", "0..129", ["NKI3029"]),
        ("%x[512*i; 512*1, 1*512]", "127..-1 step -1", []),
        ("%t[100000*i; 64*128, 1*16]", "0..0", []),  # never runs
    ],
)
def test_symbolic_offsets_are_checked_for_every_trip(access, bounds, want):
    assert codes(loop(access, bounds)) == want


def test_very_long_loops_are_checked_at_their_ends():
    assert codes(loop("%t[i; 64*1, 1*1]", "0..8192")) == []
    access = "%x[i; 1*1]"
    assert codes(loop(access, "0..1000000000000")) == ["NKI3029"]


def test_a_loop_variable_ends_with_its_loop():
    m = module(loop("%t[16*i; 64*128, 1*16]") + "\nb = TensorCopy DVE outs(%t) ins(%t)")
    first, last = m.functions[0].instructions()
    last.outs = first.outs
    assert codes(m) == ["NKI4005"]
    wrong = AffineExpr({LoopVar("i", 0, 400): 1})
    first.outs = (AccessPattern(first.outs[0].memloc, wrong, ((64, 1),), dtypes.float32),)
    assert codes(m) == ["NKI4005", "NKI4005"]


def test_loop_variables_are_unique_in_a_function():
    second = loop("%t").replace("loop L", "loop M").replace("a =", "b =")
    assert codes(loop("%t") + second) == ["NKI4004"]
    assert codes(loop("%t") + second.replace(" i ", " j ")) == []


def test_a_loop_needs_a_step():
    m = module(loop("%t"))
    m.functions[0].blocks[0].instructions[0].axis = LoopVar("i", 0, 4, 0)
    assert codes(m) == ["NKI4015"]


def test_names_are_unique():
    m = module(copy("%t") + "\nb = TensorCopy DVE outs(%t) ins(%t)")
    list(m.functions[0].instructions())[1].name = "a"
    m.functions.append(m.functions[0])
    m.functions[0].inputs.append("x")
    assert codes(m) == ["NKI4004", "NKI4004", "NKI4004", "NKI4004", "NKI4004"]


def test_inputs_outputs_and_operands_exist():
    m = module(copy("%t"))
    m.functions[0].inputs.append("y")
    m.functions[0].outputs.append("z")
    stray = MemoryLocation("t", MemoryType.SB, TensorKind.Internal, dtypes.float32, (128, 64))
    inst = next(m.functions[0].instructions())
    inst.outs = (AccessPattern(stray, 0, ((64, 128),), dtypes.float32),)
    m.functions[0].memlocs["u"] = stray
    assert codes(m) == ["NKI4005"] * 4


def test_storage_without_elements_is_reported():
    m = module(copy("%t"))
    empty = MemoryLocation("e", MemoryType.SB, TensorKind.Internal, dtypes.float32, (128, 0))
    m.functions[0].memlocs["e"] = empty
    inst = next(m.functions[0].instructions())
    inst.outs = (AccessPattern(empty, 0, ((0, 128), (1, 1)), dtypes.float32),)
    assert codes(m) == ["NKI4015"]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("a = Memset ACT outs(%t) ins() {mode=Const, constant=0}", "NKI2113", "Memset"),
        ("a = Matmult DVE outs(%t) ins(%t, %t)", "NKI2113", "the vector engine"),
        ("a = Memset DVE outs(%t) ins() {mode=Const}", "NKI4009", "no field `constant`"),
        ("a = Drain DVE outs() ins()", "NKI9003", "opcode Drain"),
        ("a = TensorCopy DVE outs(1:int32) ins(%t)", "NKI4010", "must be an access"),
        ("a = TensorCopy DVE outs(%t) ins(1.0:float8_e4m3)", "NKI4010", "float8_e4m3"),
    ],
)
def test_opcode_engine_attributes_and_operand_kinds(body, code, words):
    ((got, message),) = faults(body)
    assert got == code
    assert words in message


def test_attributes_have_their_types():
    m = module("a = TensorTensor DVE outs(%t) ins(%t, %t) {op=add}")
    inst = next(m.functions[0].instructions())
    inst.attrs = {"op": "add", "acc": AluOp.add, "colour": 3}
    assert codes(m) == ["NKI4010", "NKI4010", "NKI4011"]
    inst.attrs, inst.opcode = {}, "TensorTenser"
    assert codes(m) == ["NKI4003"]


def test_dependencies_lead_to_earlier_instructions():
    m = module(copy("%t") + "\nb = TensorCopy DVE outs(%t) ins(%t) after [a:Flow]")
    first, last = m.functions[0].instructions()
    assert codes(m) == []
    first.dependencies, last.dependencies = last.dependencies, ()
    assert codes(m) == ["NKI4005"]  # on itself
    first.dependencies = (("b", first.dependencies[0][1]),)
    assert codes(m) == ["NKI4005"]  # on a later one


def test_arch_and_version_are_known():
    m = module(copy("%t"))
    m.arch, m.version = "gen9", 1
    assert codes(m) == ["NKI4007", "NKI4003"]


def test_a_diagnostic_says_where():
    m = module("")
    inst = Instruction(
        "Memset", Engine.ACT, "I-7", (), (Immediate(dtypes.int32, 1),), {}, SrcLoc("k.py", 4)
    )
    m.functions[0].blocks[0].instructions.append(inst)
    found = verify(m)
    assert {d.line for d in found} == {4}
    assert {note for d in found for note in d.notes} == {"in `I-7` of function `f`"}
    assert all("<" not in d.message + d.hint for d in found)


RUN_TIME = HEAD.replace(
    "    block Block1 {",
    """    memloc %r: int32[1, 1] REG Internal
    memloc %i: int32[1, 1] REG Internal
    memloc %k: int32[128, 1] SB Internal
    memloc %p: float32[128, 64] PSUM Internal
    block Block1 {""",
)


def run_time(body: str) -> list[str]:
    return codes(parse_module(RUN_TIME + body + TAIL))


@pytest.mark.parametrize(
    "body",
    [
        "dynamic L %i = 0..%r step 2 { block b { a = RegisterMove ALL outs(%i) ins(0:int32) } }",
        "while L %r new %p { block b { a = RegisterMove ALL outs(%r) ins(0:int32) } }",
        copy("%t[0; 64*128, 1*8; %r*1 < 57]"),
        copy("%t[0; 64*128, 1*8; %k[0; 1*1, 1*1]*2 < 29]"),
        copy("%x[0; 512*128, 1*64; each %k*512 < 128]"),
    ],
)
def test_run_time_loops_and_indices_are_fine(body):
    assert run_time(body) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (copy("%t[0; 64*128, 1*8; %r*64 < 2]"), "NKI3033"),
        (copy("%t[0; 64*128, 1*8; %k*1 < 2]"), "NKI3033"),
        (copy("%t[0; 64*128, 1*8; %t[0; 64*1, 1*1]*1 < 2]"), "NKI3033"),
        (copy("%t[0; 64*128, 1*8; each %k*1 < 2]"), "NKI3033"),
        (copy("%x[0; 512*128, 1*8; each %r*512 < 2]"), "NKI3033"),
        (copy("%x[0; 512*128, 1*8; each %k[0; 1*64, 1*1]*512 < 2]"), "NKI3033"),
        (copy("%x[0; 512*128, 1*8; %r*512 < 0]"), "NKI3033"),
        (copy("%x[0; 512*128, 1*8; %x[0; 1*1]*512 < 2]"), "NKI3033"),
        ("a = RegisterMove ALL outs(%r[0; 1*1, 1*1]:uint32) ins(0:int32)", "NKI3028"),
        ("while L %r new %t { block b { } }", "NKI4005"),
    ],
)
def test_what_breaks_a_rule_of_run_time_is_reported(body, code):
    assert run_time(body) == [code]


@pytest.mark.parametrize(
    "text",
    [
        "int32[1, 2] REG Internal", "uint32[1, 1] REG Internal", "int32[1, 1] REG Const",
        "int32[1, 1] REG Internal address=4",
    ],
)  # fmt: skip
def test_a_register_has_nothing_but_its_name(text):
    changed = RUN_TIME.replace("%i: int32[1, 1] REG Internal", f"%i: {text}")
    assert codes(parse_module(changed + TAIL)) == ["NKI4015"]
