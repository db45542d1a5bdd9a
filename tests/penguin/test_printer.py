"""The text of Penguin: how each thing is written, and that it is read back."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.loc import SrcLoc
from opennki.ir import Role, Space, Tensor, View
from opennki.isa.activation import ActivationOp
from opennki.isa.elementwise import TensorScalarPtrOp, TensorTensorOp
from opennki.isa.enums import ActFunc, AluOp, Engine
from opennki.isa.fill import IndexValueInst, MemsetOp
from opennki.isa.move import NeuronPrintInst
from opennki.penguin import (
    Function,
    Loop,
    LoopKind,
    Region,
    parse_function,
    print_function,
    print_instruction,
)
from opennki.penguin.printer import value_text
from opennki.target import target

TEXT = """\
penguin.function @add target=cayman core=1 cores=2 args=[a] results=[out] {
  tensor %a: float32[128, 512] shared_hbm input
  tensor %one: bfloat16[128, 128] private_hbm const data=identity(128)
  tensor %three: int16[3] private_hbm const data="AQD//wAB"
  tensor %t: float32[128, 256] sbuf address=1024
  tensor %"my tile": float32[32, 256] psum address=0 partition=32
  tensor %out: float32[128, 512] shared_hbm output
  for i in affine(0, 2) {
    dma_copy.sync dst=%t, src=%a[256*i; 512*128, 1*256]
    no_reorder {
      scale = tensor_scalar.vector dst=%t, data=%t, op0=mult, operand0=2.0
      #0 = memset.gpsimd dst=%t[0; 256*128, 1*8]:int32, value=-3
    }
    for "nan" in sequential(8, 0, -2) {
      "for" = iota.gpsimd dst=%t, pattern=[[1, 256]], offset=256*i - 2*"nan" + 1 after [scale, #0]
    }
  }
  dma_copy.sync dst=%out, src=%out, priority=3 after ["for"]
}
"""


def test_everything_reads_back_as_it_was_written():
    function = parse_function(TEXT)
    assert print_function(function) == TEXT
    assert parse_function(print_function(function)) == function


def test_what_is_read_is_what_is_written():
    function = parse_function(TEXT)
    assert (function.core, function.cores, function.target) == (1, 2, target("trn2"))
    assert (function.args, function.results) == (["a"], ["out"])
    outer = function.body[0]
    assert isinstance(outer, Loop)
    assert (outer.kind, outer.var) == (LoopKind.affine, LoopVar("i", 0, 2))
    load, region, inner = outer.body
    assert load.src.offset == AffineExpr.of(outer.var, 256)
    assert isinstance(region, Region)
    assert inner.var.values() == range(8, 0, -2)
    (iota,) = inner.body
    assert iota.offset == AffineExpr({inner.var: -2, outer.var: 256}, 1)
    assert iota.after == (region.body[0], region.body[1])
    assert region.body[1].dst.dtype is dtypes.int32
    assert [name for name, t in function.tensors.items() if t.written] == ["t", "out"]


def test_constants_keep_their_bytes():
    function = parse_function(TEXT)
    assert function.tensors["three"].data.tolist() == [1, -1, 256]
    one = function.tensors["one"].data
    assert one.dtype == dtypes.bfloat16.np
    assert (one == np.eye(128)).all()


def test_a_constant_that_is_almost_an_identity_is_written_in_full():
    matrix = np.eye(2, dtype=np.float32)
    matrix[1, 0] = -0.0
    function = Function("f", target("trn2"))
    function.tensors["c"] = Tensor(
        "c", (2, 2), dtypes.float32, Space.private_hbm, role=Role.const, data=matrix
    )
    again = parse_function(print_function(function))
    assert again.tensors["c"].data.tobytes() == matrix.tobytes()
    assert again == function
    function.tensors["c"].data = np.eye(2)
    assert again != function


def tile(name: str = "t", dtype=dtypes.float32) -> View:
    return View.whole(Tensor(name, (128, 64), dtype, Space.sbuf))


def test_defaults_are_left_out_and_engines_follow_the_label():
    inst = TensorTensorOp(tile("c"), tile("a"), tile("b"), AluOp.add, engine=Engine.DVE)
    assert print_instruction(inst) == "tensor_tensor.vector dst=%c, data1=%a, data2=%b, op=add"
    inst = ActivationOp(tile("c"), ActFunc.Exp, tile("a"), bias=tile("b"), scale=-0.5)
    assert print_instruction(inst) == "activation dst=%c, op=Exp, data=%a, bias=%b, scale=-0.5"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (-0.0, "-0.0"), (1, "1"), (1e-45, "1e-45"), (float("nan"), "nan"),
        (float("-inf"), "-inf"), (np.float32(0.1), "0.10000000149011612"), (2**40, "1099511627776"),
    ],
)  # fmt: skip
def test_numbers_are_exact(function, value, text):
    written = print_instruction(MemsetOp(tile(), value))
    assert written == f"memset dst=%t, value={text}"
    (read,) = function(written, "%t: float32[128, 64] sbuf").body
    assert repr(read.value) == repr(value.item() if isinstance(value, np.generic) else value)


def test_a_default_of_the_other_sign_is_written(function):
    inst = ActivationOp(tile("c"), ActFunc.Prelu, tile("a"), alpha=-0.0)
    text = print_instruction(inst)
    assert text == "activation dst=%c, op=Prelu, data=%a, alpha=-0.0"


def test_locations_are_comments():
    function = parse_function(TEXT)
    function.body[0].loc = SrcLoc("kernels/add.py", 12)
    function.tensors["t"].loc = SrcLoc("C:\\me\\sub.py", 3)
    text = print_function(function)
    assert "  for i in affine(0, 2) {  // add.py:12\n" in text
    assert "sbuf address=1024  // sub.py:3\n" in text
    assert parse_function(text) == function


def test_strings_are_quoted(function):
    inst = NeuronPrintInst(tile(), 'say "hi"\n', engine=Engine.SP)
    text = print_instruction(inst)
    assert text == 'device_print.sync src=%t, prefix="say \\"hi\\"\\n"'
    (read,) = function(text, "%t: float32[128, 64] sbuf").body
    assert read.prefix == inst.prefix


def test_a_view_of_an_equal_window_but_another_dtype_is_not_whole():
    view = View(tile().tensor, 0, (128, 64), (64, 1), dtypes.int32)
    assert print_instruction(MemsetOp(view, 0)) == "memset dst=%t[0; 64*128, 1*64]:int32, value=0"


def test_pattern_of_affine_expressions(function):
    var = LoopVar("i", 0, 4)
    inst = IndexValueInst(tile(), ((1, 64),), AffineExpr.of(var, 1, -3))
    text = print_instruction(inst)
    assert text == "iota dst=%t, pattern=[[1, 64]], offset=i - 3"


def test_values_without_a_text_are_refused():
    with pytest.raises(TypeError, match="no field can hold"):
        value_text(object())


def test_operands_that_are_numbers_or_absent(function):
    inst = TensorScalarPtrOp(tile("c"), tile("a"), AluOp.abs, None, engine=Engine.DVE)
    text = print_instruction(inst)
    assert text == "tensor_scalar.vector dst=%c, data=%a, op0=abs"
    tensors = "%c: float32[128, 64] sbuf\n%a: float32[128, 64] sbuf"
    (read,) = function(text + ", operand0=none", tensors).body
    assert read.operand0 is None
