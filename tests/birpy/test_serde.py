"""The JSON of BIR, pinned; and what a reader says about files that are wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opennki.base.diag import NkiError
from opennki.birpy import dumps, from_json, loads, parse_module, print_module, to_json

TEXT = """\
bir.module arch=gen3 version=2 {
  function @add inputs=[x] outputs=[x] {
    memloc %x: bool[128, 512] DRAM ExternalInput shared
    memloc %acc: float32[128, 512] PSUM Internal user_allocated address=2048 partition=32 bank=1
    memloc %one: int16[1] DRAM Const data="AQA="
    block Block1 {
      I-1 = Matmult PE outs(%acc) ins(%x, -inf:float32) {opennki_accumulate=true, tile_size=[64, 128]}
      loop L i = 0..8 step 4 parallel {
        block Block2 {
          I-2 = TensorTensor DVE outs(%acc) ins(%x[2*i + 1; 512*128, 1*4], 1:int32) {op=add} after [I-1:Flow]
        }
      }
    }
  }
}
"""  # noqa: E501  # one instruction, one line


def document() -> dict[str, Any]:
    return to_json(parse_module(TEXT))


def test_the_json_is_pinned(golden):
    text = dumps(parse_module(TEXT), indent=1)
    assert golden == text
    assert loads(text) == parse_module(TEXT)
    assert print_module(loads(text)) == TEXT


def test_compact_and_indented_text_say_the_same():
    module = parse_module(TEXT)
    assert json.loads(dumps(module)) == json.loads(dumps(module, indent=2)) == to_json(module)


def test_reading_leaves_the_document_alone():
    doc = document()
    from_json(doc)
    assert doc == document()


def edit(doc: Any, path: str, value: Any) -> None:
    """Set, or with `value` None remove, what ``a.0.b`` leads to."""
    *steps, last = (int(s) if s.isdigit() else s for s in path.split("/"))
    for step in steps:
        doc = doc[step]
    if value is None:
        del doc[last]
    else:
        doc[last] = value


F = "functions/0/"
SET = F + "allocations/1/"
LOC = SET + "memorylocations/0/"
I1 = F + "blocks/0/instructions/0/"
LOOP = F + "blocks/0/instructions/1/"
I2 = LOOP + "blocks/0/instructions/0/"


@pytest.mark.parametrize(
    ("path", "value", "code", "at"),
    [
        ("version", 1, "NKI4007", "version"),
        ("version", "2", "NKI4010", "version"),
        ("version", None, "NKI4009", "version"),
        ("arch", "gen9", "NKI4003", "arch"),
        ("functions", {}, "NKI4010", "functions"),
        ("nki_functions", {}, "NKI4010", "nki_functions"),
        ("nki_function", [], "NKI4011", "nki_function"),
        ("attributes", {"a": {}}, "NKI4010", "attributes.a"),
        ("opennki_locations", [["f", 1]], "NKI4010", "opennki_locations[0]"),
        (
            "opennki_locations", [["f", 1, 0, 1, 0, "g", 0]], "NKI4015",
            "opennki_locations[0][6]",
        ),
        (F + "name", None, "NKI4009", "functions[0].name"),
        (F + "opennki_inputs", ["y"], "NKI4005", "functions[0].opennki_inputs[0]"),
        (F + "opennki_outputs", [3], "NKI4010", "functions[0].opennki_outputs[0]"),
        (F + "attributes", [None], "NKI4010", "functions[0].attributes[0]"),
        (SET + "Skind", "semaphore", "NKI4010", "functions[0].allocations[1].Skind"),
        (SET + "Skind", "register", "NKI4011", "functions[0].allocations[1].kind"),
        (SET + "name", "acc", "NKI4010", "functions[0].allocations[1].name"),
        (SET + "kind", "Output", "NKI4003", "functions[0].allocations[1].kind"),
        (SET + "dtype", "float31", "NKI4003", "functions[0].allocations[1].dtype"),
        (SET + "opennki_dtype", "bool", "NKI4010", "functions[0].allocations[1].opennki_dtype"),
        (SET + "tensor_shape", [128, "512"], "NKI4010", "functions[0].allocations[1].tensor_shape"),
        (SET + "tensor_shape", [128, -1], "NKI4015", "functions[0].allocations[1].tensor_shape"),
        (SET + "addr_space", "Debug", "NKI4003", "functions[0].allocations[1].addr_space"),
        (SET + "no_spill", True, "NKI4011", "functions[0].allocations[1].no_spill"),
        (SET + "opennki_data", "AQA=", "NKI4010", "functions[0].allocations[1].opennki_data"),
        (SET + "opennki_location", 4, "NKI4015", "functions[0].allocations[1].opennki_location"),
        (SET + "memorylocations", [], "NKI4015", "functions[0].allocations[1].memorylocations"),
        (LOC + "name", "x", "NKI4004", "functions[0].allocations[1].memorylocations[0].name"),
        (LOC + "type", "REG", "NKI4003", "functions[0].allocations[1].memorylocations[0].type"),
        (LOC + "dims", [128, 4], "NKI4010", "functions[0].allocations[1].memorylocations[0].dims"),
        (LOC + "addr", None, "NKI4010",
         "functions[0].allocations[1].memorylocations[0].allocated"),
        (LOC + "bank", "1", "NKI4010", "functions[0].allocations[1].memorylocations[0].bank"),
        (F + "blocks/0/name", 1, "NKI4010", "functions[0].blocks[0].name"),
        (I1[:-1], 7, "NKI4010", "functions[0].blocks[0].instructions[0]"),
        (I1 + "opcode", "Matmul", "NKI4003", "functions[0].blocks[0].instructions[0].opcode"),
        (I1 + "opcode", "Drain", "NKI9003", "functions[0].blocks[0].instructions[0].opcode"),
        (I1 + "opcode", None, "NKI4009", "functions[0].blocks[0].instructions[0].opcode"),
        (I1 + "engine", "All", "NKI4003", "functions[0].blocks[0].instructions[0].engine"),
        (I1 + "engine_id", 1, "NKI4010", "functions[0].blocks[0].instructions[0].engine_id"),
        (I1 + "engine_id", False, "NKI4010", "functions[0].blocks[0].instructions[0].engine_id"),
        (I1 + "perf_mode", None, "NKI4009", "functions[0].blocks[0].instructions[0].perf_mode"),
        (I1 + "perf_mode", "Fast", "NKI4010", "functions[0].blocks[0].instructions[0].perf_mode"),
        (I1 + "tile_size", [1], "NKI4010", "functions[0].blocks[0].instructions[0].tile_size"),
        (I1 + "op", "add", "NKI4011", "functions[0].blocks[0].instructions[0].op"),
        (I1 + "debug", {"file": 1}, "NKI4011",
         "functions[0].blocks[0].instructions[0].debug.file"),
        (I1 + "ins/0/kind", "register_ap", "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[0].kind"),
        (I1 + "ins/0/memref", "z", "NKI4005",
         "functions[0].blocks[0].instructions[0].ins[0].memref"),
        (I1 + "ins/0/memsetref", "acc_set", "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[0].memsetref"),
        (I1 + "ins/0/ap", [[1]], "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[0].ap[0]"),
        (I1 + "ins/0/access_shape", [1, 2], "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[0].access_shape"),
        (I1 + "ins/0/offset", 1.5, "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[0].offset"),
        (I1 + "ins/1/value", None, "NKI4009",
         "functions[0].blocks[0].instructions[0].ins[1].value"),
        (I1 + "ins/1/kind", None, "NKI4009",
         "functions[0].blocks[0].instructions[0].ins[1].kind"),
        (I1 + "ins/0/offset", None, "NKI4009",
         "functions[0].blocks[0].instructions[0].ins[0].offset"),
        (I1 + "ins/1/value", "-infinity", "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[1].value"),
        (I1 + "ins/1/dtype", "float8e4", "NKI4010",
         "functions[0].blocks[0].instructions[0].ins[1].dtype"),
        (LOOP + "name", "I-1", "NKI4004", "functions[0].blocks[0].instructions[1].name"),
        (LOOP + "LoopAxis/stride", 0, "NKI4015",
         "functions[0].blocks[0].instructions[1].LoopAxis.stride"),
        (LOOP + "LoopAxis/name", "j", "NKI4005",
         "functions[0].blocks[0].instructions[1].blocks[0].instructions[0].ins[0].offset"
         ".terms[0].idx.axis"),
        (LOOP + "unroll", True, "NKI4011", "functions[0].blocks[0].instructions[1].unroll"),
        (I2 + "ins/0/offset/kind", "SumKind", "NKI4010",
         "functions[0].blocks[0].instructions[1].blocks[0].instructions[0].ins[0].offset.kind"),
        (I2 + "dependencies/0/0", "I-7", "NKI4005",
         "functions[0].blocks[0].instructions[1].blocks[0].instructions[0].dependencies[0][0]"),
        (I2 + "dependencies/0/1", "Raw", "NKI4010",
         "functions[0].blocks[0].instructions[1].blocks[0].instructions[0].dependencies[0]"),
        (I2 + "op", None, "NKI4009",
         "functions[0].blocks[0].instructions[1].blocks[0].instructions[0].op"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_the_path(path, value, code, at):
    doc = document()
    edit(doc, path, value)
    with pytest.raises(NkiError) as caught:
        loads(json.dumps(doc))
    found = caught.value.diagnostics[0]
    assert (found.code.id, found.notes) == (code, [f"at {at}"])
    assert "<" not in found.message


def test_two_functions_need_two_names():
    doc = document()
    doc["functions"] *= 2
    assert refusal(json.dumps(doc)) == "NKI4004"


def refusal(text: str | bytes) -> str:
    with pytest.raises(NkiError) as caught:
        loads(text)
    return caught.value.code


def test_what_is_not_json_is_refused():
    text = dumps(parse_module(TEXT))
    for wrong in (text[:-1], text[: len(text) // 2], "", text.replace('"-inf"', "-Infinity", 1)):
        assert refusal(wrong) == "NKI4008"
    assert refusal("[" * 100_000) == "NKI4008"
    assert refusal("9" * 10_000) == "NKI4008"
    assert refusal(b"\xff\xfe\xfd") == "NKI4008"
    assert refusal("[]") == "NKI4010"
    assert refusal("null") == "NKI4010"


def test_a_key_may_not_occur_twice():
    assert refusal('{"version": 2, "version": 2}') == "NKI4004"


def test_nesting_has_a_limit():
    doc = document()
    inner = doc["functions"][0]["blocks"][0]["instructions"][1]
    inner["blocks"] = []
    for n in range(70):
        axis = {"name": f"k{n}", "lb": 0, "ub": 2, "stride": 1}
        block = {"name": "b", "instructions": [inner]}
        inner = {"opcode": "Loop", "name": f"K{n}", "LoopAxis": axis, "blocks": [block]}
    doc["functions"][0]["blocks"][0]["instructions"][1] = inner
    assert refusal(json.dumps(doc)) == "NKI4015"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda m, i: i.attrs.pop("op"), "NKI4009"),
        (lambda m, i: i.attrs.update(op="add"), "NKI4010"),
        (lambda m, i: i.attrs.update(opp=1), "NKI4011"),
        (lambda m, i: setattr(i, "opcode", "Drain"), "NKI9003"),
        (lambda m, i: setattr(m, "version", 1), "NKI4007"),
        (lambda m, i: m.attributes.update(a=float("nan")), "NKI4010"),
    ],
)
def test_what_the_format_cannot_carry_is_refused(change, code):
    module = parse_module(TEXT)
    change(module, list(module.functions[0].instructions())[1])
    with pytest.raises(NkiError) as caught:
        to_json(module)
    assert caught.value.code == code
