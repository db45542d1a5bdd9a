"""The scheduled program: text, JSON, counts; and the pipeline that makes it."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opennki.backend import (
    PASSES,
    Program,
    build,
    from_dict,
    parse_program,
    print_program,
    to_dict,
)
from opennki.backend.schedule import schedule
from opennki.backend.verify import check_queues
from opennki.base import dtypes
from opennki.base.diag import NkiError
from opennki.birpy import (
    AccessPattern,
    EdgeKind,
    Instruction,
    MemoryLocation,
    MemoryType,
    Module,
    TensorKind,
)
from opennki.birpy.parser import parse_module
from opennki.isa.enums import Engine
from opennki.target import target

SUNDA = target("sunda")

PRODUCT = """bir.module arch=sunda version=2 {
  function @product inputs=[x, w] outputs=[y] {
    memloc %x: bfloat16[128, 1024] DRAM ExternalInput
    memloc %w: bfloat16[128, 128] DRAM ExternalInput
    memloc %y: float32[128, 512] DRAM ExternalOutput
    memloc %ws: bfloat16[128, 128] SB Internal
    memloc %xs: bfloat16[128, 512] SB Internal
    memloc %acc: float32[128, 512] PSUM Internal
    memloc %out: float32[128, 512] SB Internal
    block Block1 {
      I-1 = DMACopy ACT outs(%ws) ins(%w) {mode=Copy}
      loop L1 k = 0..2 {
        block Block2 {
          I-2 = DMACopy SP outs(%xs) ins(%x[512*k; 1024*128, 1*512]) {mode=Copy}
          I-3 = Matmult PE outs(%acc) ins(%xs, %ws) {opennki_accumulate=true}
        }
      }
      I-4 = TensorCopy DVE outs(%out) ins(%acc)
      I-5 = DMACopy SP outs(%y) ins(%out) {mode=Copy}
    }
  }
}
"""


def product():
    program, found = build(parse_module(PRODUCT), SUNDA)
    assert found == []
    return program


def test_the_text_of_a_product(golden):
    assert golden == print_program(product())


def test_text_and_json_read_back_to_an_equal_program():
    program = product()
    assert parse_program(print_program(program)) == program
    assert from_dict(json.loads(json.dumps(to_dict(program)))) == program


@given(st.data())
def test_random_programs_read_back_from_text(make, data):
    fn = data.draw(make.functions())
    program = Program(SUNDA, [schedule(fn)])
    again = parse_program(print_program(program))
    # opcodes of generated code lack required attributes, which only the JSON form insists on
    assert again.cores[0].queues == program.cores[0].queues
    assert print_program(again) == print_program(program)


def test_counts():
    assert product().counts() == {
        "PE": 2, "ACT": 1, "DVE": 1, "SP": 3, "dmas": 4, "waits": 6,
    }  # fmt: skip


def test_the_memory_map_is_in_the_core():
    core = product().cores[0]
    assert [m.name for m in core.inputs] == ["x", "w"]
    assert [m.name for m in core.outputs] == ["y"]
    assert core.constants == []
    assert {m.name: (m.address, m.bank) for m in core.memlocs.values()} == {
        "x": (None, None), "w": (None, None), "y": (None, None),
        "ws": (0, None), "xs": (256, None), "acc": (0, 0), "out": (1280, None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("queue DVE { I-9 -> dve = 1 }", "instruction `I-9` is used but not defined"),
        ("queue DVE { I-1 wait [dma >= 1] -> dve = 1 }", "found `dma` where an engine or a ring"),
        ("queue DMA { }", "found `DMA` where one of PE, ACT, DVE, POOL, SP"),
        ("queue DVE { I-1 -> dve }", "found `}` where `=`"),
    ],
)
def test_wrong_text_is_refused(text, message):
    module = (
        "bir.module arch=sunda version=2 { function @m inputs=[] outputs=[] {\n"
        "memloc %a: float32[128, 8] SB Internal address=0 partition=0\n"
        "block B { I-1 = Memset DVE outs(%a) ins() } } }"
    )
    program = f"program target=sunda {{ core @m {{ {text} }} }}\n{module}"
    with pytest.raises(NkiError) as caught:
        parse_program(program)
    assert message in str(caught.value)


def test_wrong_json_is_refused():
    document = to_dict(product())
    queue = document["cores"][0]["sections"][0]["queues"][0]
    queue["commands"][0][0] = "I-99"
    with pytest.raises(NkiError) as caught:
        from_dict(document)
    assert caught.value.code == "NKI4003"


def test_each_pass_needs_what_one_before_ensures():
    ensured = {""}
    for one in PASSES:
        assert one.requires in ensured
        ensured.add(one.ensures)


def test_the_observer_sees_every_pass_and_an_error_stops():
    seen = []
    build(parse_module(PRODUCT), SUNDA, lambda name, made, seconds: seen.append(name))
    assert seen == [one.name for one in PASSES]
    large = PRODUCT.replace("%out: float32[128, 512]", "%out: float32[128, 50000]")
    large = large.replace("outs(%out)", "outs(%out[0; 50000*128, 1*512])")
    large = large.replace("ins(%out)", "ins(%out[0; 50000*128, 1*512])")
    seen.clear()
    program, found = build(
        parse_module(large), SUNDA, lambda name, made, seconds: seen.append(name)
    )
    assert program is None
    assert [d.code.id for d in found] == ["NKI5002"]
    assert seen == ["inline-kernels", "verify-placement", "allocate"]


def test_a_check_stops_after_allocation():
    module = parse_module(PRODUCT)
    program, found = build(module, SUNDA, until="ALLOCATED")
    assert (program, found) == (None, [])
    assert module.functions[0].memlocs["xs"].address == 256


def test_edges_in_a_circle_are_reported(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal address=0\n%b: float32[128, 8] SB Internal address=32",
        "I-1 = Memset DVE outs(%a) ins()\nI-2 = TensorCopy POOL outs(%b) ins(%a)",
    )
    first, _ = fn.instructions()
    first.dependencies = (("I-2", EdgeKind.Ordered),)
    found = list(check_queues(schedule(fn)))
    assert [d.code.id for d in found] == ["NKI5102"]
    assert [d.message for d in found] == ["these instructions wait for each other: I-1, I-2"]
    first.dependencies = ()
    assert list(check_queues(schedule(fn))) == []


def test_an_edge_to_nowhere_is_reported(make):
    module = make.module("%a: float32[128, 8] SB Internal", "I-1 = Memset DVE outs(%a) ins()")
    (inst,) = module.functions[0].instructions()
    inst.dependencies = (("I-7", EdgeKind.Ordered),)
    program, found = build(module, SUNDA)
    assert program is None
    assert [d.code.id for d in found] == ["NKI5101"]
    assert [d.message for d in found] == ["no instruction is named `I-7`"]


def chain(count):
    """A module of `count` instructions: load, two halves, a sum, and a store, per tile."""
    dram = {
        name: MemoryLocation(name, MemoryType.DRAM, kind, dtypes.bfloat16, (8192, 2048))
        for name, kind in (("x", TensorKind.ExternalInput), ("y", TensorKind.ExternalOutput))
    }
    memlocs, made = dict(dram), []
    for i in range(count // 5):
        tiles = [
            MemoryLocation(f"{n}{i}", MemoryType.SB, TensorKind.Internal, dtypes.bfloat16,
                           (128, 512))
            for n in "tu"
        ]  # fmt: skip
        memlocs |= {t.name: t for t in tiles}
        t, u = (AccessPattern(m, 0, ((512, 128), (1, 512)), m.dtype) for m in tiles)
        halves = [AccessPattern(tiles[0], 256 * h, ((512, 128), (1, 256)), t.dtype) for h in (0, 1)]
        at = (i // 4 % 64) * 128 * 2048 + i % 4 * 512
        window = ((2048, 128), (1, 512))
        x, y = (AccessPattern(m, at, window, m.dtype) for m in dram.values())
        for opcode, engine, ins, outs in (
            ("DMACopy", Engine.SP, (x,), (t,)),
            ("Reciprocal", Engine.DVE, halves[:1], halves[:1]),
            ("Reciprocal", Engine.ACT, halves[1:], halves[1:]),
            ("TensorTensor", Engine.POOL, (t, t), (u,)),
            ("DMACopy", Engine.ACT, (u,), (y,)),
        ):
            name = f"I-{len(made)}"
            made.append(Instruction(opcode, engine, name, tuple(ins), tuple(outs), {}))
    return memlocs, made


def test_cost_per_instruction_is_bounded(make):
    """A ratio to plain Python work in the same process: about 60 in practice."""

    def calibrate():
        start = time.process_time()
        table = {}
        for i in range(20_000):
            table[i, i % 7] = (i, str(i))
        return time.process_time() - start

    def measure():
        memlocs, made = chain(20_000)
        fn = make.of(list(memlocs.values()), made)
        start = time.process_time()
        program, found = build(Module([fn], "sunda"), SUNDA)
        assert program is not None
        assert found == []
        return time.process_time() - start

    unit = min(calibrate() for _ in range(5))
    assert min(measure() for _ in range(2)) / unit < 130
