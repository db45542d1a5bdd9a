"""The text of BIR, pinned; and what a reader says about text that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.diag import NkiError
from opennki.base.loc import SrcLoc
from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    CopyMode,
    EdgeKind,
    Function,
    Immediate,
    Instruction,
    Loop,
    MemoryLocation,
    MemoryType,
    Module,
    TensorKind,
    parse_module,
    print_instruction,
    print_module,
)
from opennki.isa.enums import AluOp, Engine

TEXT = """\
bir.module arch=gen3 version=2 {
  attributes {neuron_core_id=0}
  function @add inputs=[x] outputs=[out] attributes=[need_dce] {
    memloc %x: float32[128, 512] DRAM ExternalInput  // add.py:3
    memloc %out: float32[128, 512] DRAM ExternalOutput shared
    memloc %tile: float32[128, 256] SB Internal address=0 partition=0
    memloc %"my one": float16[2] DRAM Const data="ADwAwA=="
    block Block1 {
      loop L-1 i = 0..2 parallel {  // add.py:5
        block Block2 {
          I-1 = DMACopy SP outs(%tile) ins(%x[256*i; 512*128, 1*256]) {mode=Copy}  // add.py:6
          I-2 = TensorTensor DVE outs(%tile) ins(%tile[0; 512*128, 2*256]:bfloat16, 0.5:float32) {op=add} after [I-1:Flow]  // add.py:7
          "loop" = DMACopy SP outs(%out[256*i; 512*128, 1*256]) ins(%tile) {mode=Copy}
        }
      }
    }
  }
}
"""  # noqa: E501  # one instruction, one line


def add_module() -> Module:
    f32, file = dtypes.float32, "somewhere/add.py"
    sb, dram = MemoryType.SB, MemoryType.DRAM
    x = MemoryLocation(
        "x", dram, TensorKind.ExternalInput, f32, (128, 512), loc=SrcLoc(file, 3)
    )  # fmt: skip
    out = MemoryLocation("out", dram, TensorKind.ExternalOutput, f32, (128, 512), shared=True)
    tile = MemoryLocation("tile", sb, TensorKind.Internal, f32, (128, 256), address=0)
    one = MemoryLocation(
        "my one", dram, TensorKind.Const, dtypes.float16, (2,), data=np.float16([1, -2])
    )
    i = LoopVar("i", 0, 2)
    part, whole = ((512, 128), (1, 256)), ((256, 128), (1, 256))
    copy = {"mode": CopyMode.Copy}

    def at(loc: MemoryLocation) -> AccessPattern:
        return AccessPattern(loc, AffineExpr({i: 256}), part, f32)

    tiles = AccessPattern(tile, 0, whole, f32)
    halves = AccessPattern(tile, 0, ((512, 128), (2, 256)), dtypes.bfloat16)
    body = [
        Instruction("DMACopy", Engine.SP, "I-1", (at(x),), (tiles,), copy, SrcLoc(file, 6)),
        Instruction(
            "TensorTensor", Engine.DVE, "I-2", (halves, Immediate(f32, 0.5)), (tiles,),
            {"op": AluOp.add}, SrcLoc(file, 7), (("I-1", EdgeKind.Flow),),
        ),
        Instruction("DMACopy", Engine.SP, "loop", (tiles,), (at(out),), copy),
    ]  # fmt: skip
    loop = Loop("L-1", i, [BasicBlock("Block2", body)], True, SrcLoc(file, 5))
    locs = {loc.name: loc for loc in (x, out, tile, one)}
    blocks = [BasicBlock("Block1", [loop])]
    function = Function("add", locs, blocks, ["x"], ["out"], ["need_dce"])
    return Module([function], "gen3", 2, {"neuron_core_id": 0})


def test_the_text_is_pinned():
    assert print_module(add_module()) == TEXT


def test_the_text_is_read_back():
    module = parse_module(TEXT)
    assert module == add_module()
    assert module.functions[0].memlocs["my one"].data.tolist() == [1, -2]


def test_an_instruction_prints_alone():
    inst = next(add_module().functions[0].instructions())
    want = "I-1 = DMACopy SP outs(%tile) ins(%x[256*i; 512*128, 1*256]) {mode=Copy}  // add.py:6"
    assert print_instruction(inst) == want


def test_spacing_and_comments_mean_nothing():
    spread = TEXT.replace("  // add.py", "//").replace(" ", "\n").replace("\nadd.py", " ")
    spread = "".join(line.partition("//")[0] + "\n" for line in spread.split("\n"))
    assert parse_module(spread.replace('"my\none"', '"my one"')) == add_module()


def test_an_identity_matrix_is_a_formula():
    module = add_module()
    one = module.functions[0].memlocs["my one"]
    one.dtype, one.shape, one.data = dtypes.bfloat16, (128, 128), np.eye(128)
    text = print_module(module)
    assert 'memloc %"my one": bfloat16[128, 128] DRAM Const data=identity(128)' in text
    again = parse_module(text).functions[0].memlocs["my one"]
    assert again.data.astype(np.float32).tolist() == np.eye(128).tolist()
    one.shape, one.data = (2, 2), np.ones((2, 2))
    with pytest.raises(NkiError, match="NKI4015"):
        parse_module(print_module(module).replace('data="gD+AP4A/gD8="', "data=identity(3)"))


def test_omitted_constants_are_refused_by_the_reader():
    text = print_module(add_module(), constants=False)
    assert "data=omitted" in text
    assert refusal(text)[0] == "NKI4001"


def test_a_value_that_no_attribute_can_hold_is_not_printed():
    module = add_module()
    module.attributes["x"] = object()
    with pytest.raises(TypeError, match="no attribute can hold"):
        print_module(module)


def test_a_line_end_in_a_file_name_does_not_end_the_comment():
    module = add_module()
    next(module.functions[0].instructions()).loc = SrcLoc("a\n}.py", 1)
    assert parse_module(print_module(module)) == module


def refusal(text: str) -> tuple[str, int, str]:
    with pytest.raises(NkiError) as caught:
        parse_module(text, "a.bir")
    found = caught.value.diagnostics[0]
    assert found.file == "a.bir"
    return found.code.id, found.line, found.message


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "words"),
    [
        ("version=2", "version=two", "NKI4001", 1, "`two` where an integer"),
        ("  attributes", "  atributes", "NKI4001", 2, "`function`, `kernel` or `}`"),
        ("inputs=[x]", "inputs=[y]", "NKI4005", 3, "memloc `y`"),
        ("float32[128, 256]", "float33[128, 256]", "NKI4003", 6, "dtype named `float33`"),
        ("float32[128, 256]", "float32[128, -256]", "NKI4015", 6, "-256"),
        ("] SB ", "] SBUF ", "NKI4003", 6, "memory type named `SBUF`"),
        ("DRAM Const", "DRAM Constant", "NKI4003", 7, "tensor kind named `Constant`"),
        ("ADwAwA==", "ADwA", "NKI4001", 7, "base64 of 4 bytes"),
        ("ADwAwA==", "A!", "NKI4001", 7, "base64 of 4 bytes"),
        ("%tile: ", "%x: ", "NKI4004", 6, "memloc `x` is defined twice"),
        ("0..2 parallel", "0..2 step 0", "NKI4015", 9, "the step of a loop is 0"),
        ("%x[256*i;", "%x[256*j;", "NKI4005", 11, "loop variable `j`"),
        ("%x[256*i;", "%x[256*3;", "NKI4001", 11, "a loop variable"),
        ("%x[256*i;", "%z[256*i;", "NKI4005", 11, "memloc `z`"),
        ("{mode=Copy}  //", "{mode=Cpy}  //", "NKI4003", 11, "CopyMode named `Cpy`"),
        ("{mode=Copy}  //", "{mood=Copy}  //", "NKI4003", 11, "attribute of DMACopy"),
        ("{mode=Copy}  //", "{mode=Copy, duplicate=1}  //", "NKI4001", 11, "a bool"),
        ("{mode=Copy}  //", "{mode=Copy, mode=Copy}  //", "NKI4004", 11, "`mode`"),
        ("= TensorTensor", "= TensorTenser", "NKI4003", 12, "opcode named `TensorTenser`"),
        ("TensorTensor DVE", "TensorTensor VE", "NKI4003", 12, "engine named `VE`"),
        ("0.5:float32", "0.5:float", "NKI4003", 12, "dtype named `float`"),
        ("[I-1:Flow]", "[I-9:Flow]", "NKI4005", 12, "`I-9`"),
        ("[I-1:Flow]", "[I-2:Flow]", "NKI4005", 12, "`I-2`"),
        ("[I-1:Flow]", "[loop:Flow]", "NKI4005", 12, "`loop`"),
        ("[I-1:Flow]", "[I-1:Raw]", "NKI4003", 12, "`Raw`"),
        ('"loop" =', "I-2 =", "NKI4004", 13, "instruction `I-2` is defined twice"),
        ('"loop" =', "loop =", "NKI4001", 13, "an instruction"),
        ('"loop" =', '"loop =', "NKI4012", 13, "no closing quote"),
    ],
)
def test_wrong_text_is_refused_where_it_is_wrong(old, new, code, line, words):
    got = refusal(TEXT.replace(old, new, 1))
    assert got[:2] == (code, line)
    assert words in got[2]


def test_two_functions_need_two_names():
    one = TEXT[TEXT.index("  function") : -2]
    assert refusal(TEXT[:-2] + one + "}\n")[0] == "NKI4004"


def test_every_truncation_is_refused():
    for length in range(len(TEXT.rstrip()) - 1):
        assert refusal(TEXT[:length])[0].startswith("NKI40")


def test_text_after_the_module_is_refused():
    assert refusal(TEXT + "x")[:2] == ("NKI4001", 19)


def test_nesting_has_a_limit():
    head = "bir.module arch=gen3 version=2 { function @f inputs=[] outputs=[] { block b {"
    loops = "".join(f"loop l{n} i{n} = 0..2 {{ block b {{" for n in range(2000))
    assert refusal(head + loops)[0] == "NKI4015"
    deep = "bir.module arch=gen3 version=2 { attributes {a=" + "[" * 100_000
    assert refusal(deep)[0] == "NKI4001"
