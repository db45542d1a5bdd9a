"""What every function must keep: names, windows inside their tensors, edges, rules of the table."""

from __future__ import annotations

import pytest

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.loc import SrcLoc
from opennki.ir import Space, Tensor, View, register
from opennki.isa.enums import Engine
from opennki.isa.fill import MemsetOp
from opennki.penguin import DynamicLoop, While, verify

TILES = """
%t: float32[128, 64] sbuf
%u: float32[128, 64] sbuf
%h: float32[64, 64] private_hbm
%p: float32[128, 512] psum
"""


def codes(function) -> list[str]:
    return [d.code.id for d in verify(function)]


@pytest.mark.parametrize(
    "body",
    [
        "tensor_copy.vector dst=%t, src=%u",
        "for i in affine(0, 4) { memset.vector dst=%t[16*i; 64*128, 1*16], value=0 }",
        "for i in affine(0, 4) { memset.vector dst=%t[2048*i; 64*32, 1*64], value=0 }",
        "for i in affine(3, -1, -1) { memset.vector dst=%t[48 - 16*i; 64*128, 1*16], value=0 }",
        "for i in affine(0, 0) { memset.vector dst=%t[9999*i; 64*128, 1*64], value=0 }",
        "dma_copy.sync dst=%h, src=%t[0; 64*64, 1*64]",
        "memset.vector dst=%t[63; 64*128, -1*64], value=0",
        "memset.vector dst=%t[0; 128*128, 1*128]:bfloat16, value=0",
        "for i in affine(0, 2) { iota.gpsimd dst=%t, pattern=[[1, 64]], offset=i }",
        "for i in affine(0, 2) { no_reorder { x = tensor_copy.vector dst=%t, src=%u } }",
    ],
)
def test_legal_functions_have_no_problems(function, body):
    assert codes(function(body, TILES)) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("tensor_copy.vector dst=%t, src=%u[0; 64*128, 1*65]", "NKI3029"),
        ("tensor_copy.vector dst=%t, src=%u[8; 64*64, 1*64]", "NKI3028"),
        ("tensor_copy.vector dst=%t, src=%u[64; 64*128, 1*64]", "NKI3029"),
        ("tensor_copy.vector dst=%t[0; 32*128, 1*64], src=%u", "NKI3028"),
        ("dma_copy.sync dst=%h[1; 64*64, 1*64], src=%t[0; 64*64, 1*64]", "NKI3029"),
        ("dma_copy.sync dst=%h[0; 64*64, -1*64], src=%t[0; 64*64, 1*64]", "NKI3029"),
        ("dma_copy.sync dst=%h[4032; -64*64, 1*64], src=%t[0; 64*64, 1*64]", "NKI3028"),
        ("for i in affine(0, 5) { memset.vector dst=%t[16*i; 64*128, 1*16], value=0 }", "NKI3029"),
        ("for i in affine(0, 3) { memset.vector dst=%t[4096*i; 64*32, 1*64], value=0 }", "NKI3029"),
        ("for i in affine(0, 2) { memset.vector dst=%t[4160*i; 64*32, 1*64], value=0 }", "NKI2112"),
        ("for i in affine(1, 2) { memset.vector dst=%t[1024*i; 64*32, 1*64], value=0 }", "NKI2112"),
        ("tensor_copy.vector dst=%t, src=%u[0; 64*128, 1*32]", "NKI2102"),
        ("dma_copy.sync dst=%p, src=%p", "NKI2301"),
        ("tensor_copy.tensor dst=%t, src=%u", "NKI2113"),
    ],
)
def test_what_breaks_a_rule_is_found(function, body, code):
    found = codes(function(body, TILES))
    assert code in found
    assert set(found) == {code}


def test_the_diagnostic_says_where_and_what(function):
    fn = function("copy = tensor_copy.vector dst=%t, src=%u[64; 64*128, 1*64]", TILES)
    fn.body[0].loc = SrcLoc("kernel.py", 7)
    (found,) = verify(fn)
    assert found.loc.line == 7
    assert found.notes == ["in `copy` of function `f`"]
    assert found.operands[1] == ("src", "float32[128, 64] in sbuf, view of `u`")
    assert "8255" in found.message


def test_names_are_unique(function):
    fn = function("x = memset dst=%t, value=0\ny = memset dst=%t, value=0", TILES)
    fn.body[1].name = "x"
    fn.args += ["h", "h"]
    fn.results += ["nothing"]
    assert codes(fn) == ["NKI4004", "NKI4005", "NKI4004"]


def test_operands_are_tensors_of_the_function(function):
    fn = function("memset dst=%t, value=0", TILES)
    stranger = Tensor("t", (128, 64), dtypes.float32, Space.sbuf)
    fn.body.append(MemsetOp(View.whole(stranger), 0, engine=Engine.DVE))
    assert codes(fn) == ["NKI4005"]


def test_edges_lead_to_earlier_instructions(function):
    fn = function("memset dst=%t, value=0\nmemset dst=%u, value=0", TILES)
    fn.body[0].after = (fn.body[1],)
    assert codes(fn) == ["NKI4005"]


def test_offsets_use_variables_of_loops_around_them(function):
    fn = function("memset dst=%t, value=0\nfor i in affine(0, 2) { memset dst=%t, value=0 }", TILES)
    other = LoopVar("i", 0, 3)
    inner = fn.body[1].body[0]
    for inst in (fn.body[0], inner):
        inst.dst = View(inst.dst.tensor, AffineExpr.of(other), (128, 1), (64, 1), dtypes.float32)
    assert codes(fn) == ["NKI4005", "NKI4005"]


def test_shapes_and_steps_are_positive(function):
    fn = function("for i in affine(0, 2) { memset dst=%t, value=0 }", TILES)
    fn.body[0].var = LoopVar("i", 0, 2, 0)
    empty = Tensor("e", (0, 4), dtypes.float32, Space.sbuf)
    fn.tensors["e"] = empty
    assert codes(fn) == ["NKI4015", "NKI4015"]


def test_rules_are_looked_up_once_per_signature(function, monkeypatch):
    calls = []
    rules = MemsetOp.check
    monkeypatch.setattr(MemsetOp, "check", lambda inst, t: calls.append(inst) or rules(inst, t))
    fn = function("memset.vector dst=%t, value=0\n" * 50, TILES)
    assert codes(fn) == []
    assert len(calls) == 1


def test_a_long_loop_is_looked_at_at_its_ends(function):
    nest = "for i in affine(0, 5000) { memset.vector dst=%w[i; 9999*1, 1*1], value=0 }"
    assert codes(function(nest, "%w: float32[1, 5000] sbuf")) == []
    assert codes(function(nest, "%w: float32[1, 4999] sbuf")) == ["NKI3029"]


def test_loop_variables_are_unique(function):
    loop = "for i in affine(0, 2) { memset.vector dst=%t, value=0 }"
    assert codes(function(f"{loop}\n{loop}", TILES)) == ["NKI4004"]


RUN_TIME = """
%t: float32[128, 64] sbuf
%u: float32[128, 64] sbuf
%h: float32[64, 64] private_hbm
%p: float32[128, 512] psum
%r: int32[1, 1] register
%i: int32[1, 1] register
%f: float32[1, 1] sbuf
%k: int32[64, 1] sbuf
"""
GATHER = "dma_copy.gpsimd dst=%t[0; 64*64, 1*64], src=%h[0; 64*64, 1*64; {}]"


@pytest.mark.parametrize(
    "body",
    [
        "for %i in dynamic(0, %r, 2) { memset.vector dst=%t, value=0 }",
        "while %r new %p { register_move.all dst=%r, src=0 }",
        "tensor_copy.vector dst=%t[0; 64*128, 1*8], src=%u[0; 64*128, 1*8; %r*1 < 57]",
        GATHER.format("each %k*64 < 64"),
        "a = memset.vector dst=%t, value=0 while %r { tensor_copy.vector dst=%u, src=%t after [a] }",  # noqa: E501
    ],
)
def test_legal_loops_and_indices_have_no_problems(function, body):
    assert codes(function(body, RUN_TIME)) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (GATHER.format("each %f*64 < 64"), "NKI3033"),
        (GATHER.format("each %r*64 < 64"), "NKI3033"),
        (GATHER.format("each %k[0; 1*32, 1*1]*64 < 64"), "NKI3033"),
        (GATHER.format("each %h*64 < 64"), "NKI3033"),
        ("tensor_copy.vector dst=%t, src=%u[0; 64*128, 1*64; %r*64 < 2]", "NKI3033"),
        ("tensor_copy.vector dst=%t, src=%u[0; 64*128, 1*64; %k*1 < 2]", "NKI3033"),
        ("register_load.all dst=%r[0; 1*1, 1*1]:uint32, src=%k[0; 1*1, 1*1]", "NKI3028"),
        ("while %r new %t { register_move.all dst=%r, src=0 }", "NKI4005"),
        ("while %r { a = memset.vector dst=%t, value=0 } "
         "tensor_copy.vector dst=%u, src=%t after [a]", "NKI1046"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_of_run_time_is_found(function, body, code):
    found = codes(function(body, RUN_TIME))
    assert code in found
    assert set(found) == {code}


@pytest.mark.parametrize("loop", ["dynamic", "while", "step"])
def test_loops_count_in_registers_of_the_function(function, loop):
    fn = function("memset.vector dst=%t, value=0", RUN_TIME)
    other, r = register("other"), fn.tensors["r"]
    made = {
        "dynamic": DynamicLoop(r, 0, other), "while": While(other), "step": DynamicLoop(r, 0, 1, 0),
    }[loop]  # fmt: skip
    fn.body.append(made)
    assert codes(fn) == ["NKI4015" if loop == "step" else "NKI4005"]


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor("q", (1, 2), dtypes.int32, Space.register),
        Tensor("q", (1, 1), dtypes.uint32, Space.register),
        Tensor("q", (1, 1), dtypes.int32, Space.register, address=4),
    ],
)
def test_a_register_has_nothing_but_its_name(function, tensor):
    fn = function("memset.vector dst=%t, value=0", RUN_TIME)
    fn.tensors["q"] = tensor
    assert codes(fn) == ["NKI4015"]
