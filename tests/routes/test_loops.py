"""Loops mean their copies: rolled and unrolled code give the same bits and the same verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.affine_text import affine_text
from opennki.base.passes import PassContext
from opennki.birpy import parse_module, print_module, verify
from opennki.lower import BirCodeGenLoop
from opennki.penguin import Function, parse_function, print_function
from opennki.penguin import verify as verify_penguin
from opennki.penguin.passes import SimplifyIndices, UnrollLoops
from opennki.testing.programs import differences, run

ROWS, ROW = 128, 48
HEAD = f"""penguin.function @f target=cayman args=[x] results=[y] {{
  tensor %x: float32[{ROWS}, {ROW}] private_hbm input
  tensor %y: float32[{ROWS}, {ROW}] private_hbm output
  tensor %a: float32[{ROWS}, {ROW}] sbuf
  tensor %b: float32[{ROWS}, {ROW}] sbuf
  tensor %p: float32[{ROWS}, {ROW}] psum
  dma_copy.sync dst=%a, src=%x
  dma_copy.sync dst=%y, src=%x
  tensor_scalar.vector dst=%b, data=%a, op0=mult, operand0=0.5
  memset.vector dst=%p, value=1.0
"""
TAIL = """
  dma_copy.sync dst=%y[0; 48*128, 1*16], src=%a[0; 48*128, 1*16]
  dma_copy.sync dst=%y[16; 48*128, 1*16], src=%b[16; 48*128, 1*16]
  tensor_copy.vector dst=%a, src=%p
  dma_copy.sync dst=%y[32; 48*128, 1*16], src=%a[32; 48*128, 1*16]
}
"""
RANGES = [(0, 1, 1), (0, 2, 1), (0, 4, 1), (1, 7, 2), (3, -1, -1), (2, 3, 1), (0, 0, 1)]


@st.composite
def offsets(draw, scope: list[LoopVar], room: int, unit: int = 1) -> AffineExpr:
    """An offset that stays within 0 and `room` in every trip, in multiples of `unit`."""
    expr = AffineExpr({})
    for var in scope:
        more = expr + AffineExpr.of(var, draw(st.sampled_from([0, 0, 1, 2, 5, -1])))
        if var.trips and more.bounds()[1] - more.bounds()[0] <= room:
            expr = more
    low, high = expr.bounds()
    return (expr + draw(st.integers(-low, room - high))) * unit


@st.composite
def windows(draw, name: str, scope: list[LoopVar], rows: int, width: int) -> str:
    """``%name[offset; stride*count, ...]`` with `rows` partitions and `width` elements in each."""
    step = draw(st.sampled_from([1, 1, 2]))
    across = draw(offsets(scope, ROW - 1 - step * (width - 1)))
    starts = (ROWS - rows) // 32
    expr = across + (draw(offsets(scope, starts, 32 * ROW)) if starts else 0)
    return f"%{name}[{affine_text(expr)}; {ROW}*{rows}, {step}*{width}]"


@st.composite
def statements(draw, scope: list[LoopVar]) -> str:
    """One instruction whose operands move with the loops around it."""
    rows, width = draw(st.sampled_from([4, 32, 128])), draw(st.sampled_from([1, 4, 8]))
    tile = st.sampled_from("ab")

    def at(name: str, rows: int = rows, width: int = width) -> str:
        return draw(windows(name, scope, rows, width))

    kind = draw(st.sampled_from(["copy", "scalar", "tensor", "reduce", "dma", "iota", "matmul"]))
    dst, src, other = draw(tile), draw(tile), draw(tile)
    if kind == "copy":
        return f"tensor_copy.vector dst={at(dst)}, src={at(src)}"
    if kind == "scalar":
        op = draw(st.sampled_from(["add", "mult", "max"]))
        return f"tensor_scalar.vector dst={at(dst)}, data={at(src)}, op0={op}, operand0=-0.75"
    if kind == "tensor":
        return f"tensor_tensor.gpsimd dst={at(dst)}, data1={at(src)}, data2={at(other)}, op=add"
    if kind == "reduce":
        return f"tensor_reduce.vector dst={at(dst, width=1)}, op=add, data={at(src)}, axis=[1]"
    if kind == "dma":
        return f"dma_copy.sync dst={at('y')}, src={at(src)}"
    if kind == "iota":
        offset = affine_text(draw(offsets(scope, 100)))
        return f"iota.gpsimd dst={at(dst)}, pattern=[[1, {width}]], offset={offset}"
    adds = draw(st.sampled_from(["none", "true", "false"]))
    return (
        f"nc_matmul.tensor dst={at('p', width, 8)}, stationary={at(src)}, "
        f"moving={at(other, width=8)}, accumulate={adds}"
    )


@st.composite
def bodies(draw, scope: list[LoopVar], depth: int, names: Iterator[str] | None = None) -> str:
    """Statements, loops and regions."""
    names = names or (f"i{n}" for n in count())
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["inst", "inst", "loop", "loop", "region"]))
        if kind == "inst" or depth == 0:
            lines.append(draw(statements(scope)))
        elif kind == "region":
            lines.append(f"no_reorder {{\n{draw(bodies(scope, 0, names))}\n}}")
        else:
            var = LoopVar(next(names), *draw(st.sampled_from(RANGES)))
            inner = [*scope, var] if var.trips else scope
            order = draw(st.sampled_from(["affine", "sequential"]))
            head = f"for {var.name} in {order}({var.start}, {var.stop}, {var.step})"
            lines.append(f"{head} {{\n{draw(bodies(inner, depth - 1, names))}\n}}")
    return "\n".join(lines)


@given(body=bodies([], 3))
@settings(max_examples=100)
def test_rolled_and_unrolled_code_agree(body):
    text = HEAD + body + TAIL
    rolled = parse_function(text)
    unrolled, simple = parse_function(text), parse_function(text)
    UnrollLoops().run(unrolled, PassContext())
    SimplifyIndices().run(simple, PassContext())
    assert " for " not in print_function(unrolled)
    for function in (rolled, unrolled, simple):
        assert [d.message for d in verify_penguin(function)] == []
        assert parse_function(print_function(function)) == function
    runs = {
        (name, level): results(function, level)
        for name, function in (("rolled", rolled), ("unrolled", unrolled), ("simple", simple))
        for level in ("penguin", "bir", "program")
    }
    first = runs["rolled", "penguin"]
    for which, found in runs.items():
        assert differences(first, found) == [], which


@given(body=bodies([], 2))
@settings(max_examples=40)
def test_rolled_bir_is_valid_and_reads_back(body):
    body = re.sub(r"(pattern=.*, offset=).*", r"\g<1>5", body)  # BIR's texts hold numbers only
    module = BirCodeGenLoop().run_on_module([parse_function(HEAD + body + TAIL)])
    assert [d.message for d in verify(module)] == []
    assert parse_module(print_module(module)) == module


def results(function: Function, level: str):
    """What a run on fixed inputs gives."""
    x = np.random.default_rng(7).standard_normal((ROWS, ROW)).astype(np.float32)
    return run(function, {"x": x}, level)
