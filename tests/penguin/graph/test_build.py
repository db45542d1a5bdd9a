"""The methods of `IRBuilder` that append graph ops, and graph ops as text."""

from __future__ import annotations

import pytest

from opennki.base import dtypes
from opennki.base.diag import NkiError
from opennki.base.loc import SrcLoc
from opennki.ir import Role, Space, Tensor, View
from opennki.isa.enums import ActFunc
from opennki.penguin import GRAPH_OPS, IRBuilder, parse_function, print_function, verify


def test_every_op_prints_and_reads_back(builder, argument):
    x, w = argument("x", 4, 8, dtype=dtypes.bfloat16), argument("w", 8, dtype=dtypes.bfloat16)
    g, d = argument("g", 8, 6, dtype=dtypes.bfloat16), argument("d", 6, 8, dtype=dtypes.bfloat16)
    y = builder.rms_norm(builder.softmax(x, axis=0), w, eps=1e-5)
    z = builder.attention(y, y, y, causal=True, scale=0.5)
    builder.mlp(z, g, g, d, activation=ActFunc.Gelu)
    function = builder.function
    assert {type(op) for op in function.body} == set(GRAPH_OPS)
    text = print_function(function)
    assert text.splitlines()[-5:] == [
        "  softmax dst=%softmax, src=%x, axis=0",
        "  rms_norm dst=%rms_norm, src=%softmax, weight=%w, eps=1e-05",
        "  attention dst=%attention, query=%rms_norm, key=%rms_norm, value=%rms_norm, causal=true, "
        "scale=0.5",
        "  mlp dst=%mlp, src=%attention, gate=%g, up=%g, down=%d, activation=Gelu",
        "}",
    ]
    assert parse_function(text) == function
    assert verify(function) == []


def test_results_have_the_dtype_of_operands_and_names_of_their_own(builder, argument):
    x = argument("softmax", 4, 8, dtype=dtypes.float16)
    made = [builder.softmax(x), builder.softmax(x), builder.softmax(x, name="mine")]
    assert [view.tensor.name for view in made] == ["softmax.1", "softmax.2", "mine"]
    assert {view.dtype for view in made} == {dtypes.float16}
    assert {view.tensor.space for view in made} == {Space.private_hbm}
    with pytest.raises(NkiError, match="NKI4004"):
        builder.softmax(x, name="mine")


def test_a_result_may_be_part_of_a_tensor(builder, argument):
    x = argument("x", 4, 8)
    out = builder.tensor(Tensor("out", (8, 8), dtypes.float32, Space.private_hbm, role=Role.output))
    half = View(out.tensor, 32, (4, 8), (8, 1), dtypes.float32)
    assert builder.softmax(x, dst=half) is half
    assert out.tensor.written
    assert "softmax dst=%out[32; 8*4, 1*8], src=%x" in print_function(builder.function)


def test_an_operand_of_another_function_is_refused(builder):
    stranger = View.whole(Tensor("x", (4, 8), dtypes.float32, Space.private_hbm))
    with pytest.raises(NkiError, match="NKI4005"):
        builder.softmax(stranger)


def test_an_error_points_at_the_builders_place(builder, argument):
    at = SrcLoc("model.py", 12)
    other = IRBuilder(builder.function, at)
    with pytest.raises(NkiError) as caught:
        other.softmax(argument("x", 4, 8), axis=5)
    assert caught.value.diagnostics[0].loc is at
    view = other.softmax(View.whole(builder.function.tensors["x"]))
    assert (builder.function.body[-1].loc, view.tensor.loc) == (at, at)


def test_ops_may_be_named_and_ordered(function):
    text = "a = softmax dst=%y, src=%x\nsoftmax dst=%z, src=%x after [a]"
    tensors = """
        %x: float32[4, 8] private_hbm
        %y: float32[4, 8] private_hbm
        %z: float32[4, 8] private_hbm
    """
    made = function(text, tensors)
    assert parse_function(print_function(made)) == made
    first, second = made.body
    assert second.after == (first,)


def test_every_op_has_a_method():
    assert all(callable(getattr(IRBuilder, op.spec.emit)) for op in GRAPH_OPS)


def test_passes_know_graph_ops(check_pass):
    check_pass(
        "unroll-loops",
        before="for i in affine(0, 2) { softmax dst=%y[8*i; 8*1, 1*8], src=%x[8*i; 8*1, 1*8] }",
        after="softmax dst=%y[0; 8*1, 1*8], src=%x[0; 8*1, 1*8]\n"
        "softmax dst=%y[8; 8*1, 1*8], src=%x[8; 8*1, 1*8]",
        tensors="%x: float32[2, 8] private_hbm\n%y: float32[2, 8] private_hbm",
    )
