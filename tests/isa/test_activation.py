"""`activation` and `activation_reduce`: values, accumulators, and each of their rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.diag import diagnostic
from opennki.base.dtypes import DType
from opennki.base.loc import UNKNOWN
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.activation import ActivationAccumulationOp, ActivationOp
from opennki.isa.enums import ActFunc, AluOp, Engine, ReduceCmd
from opennki.target import target

GEN2, GEN3, GEN4 = target("trn1"), target("trn2"), target("trn3")
ONE = np.float32(1)


def tile(shape: tuple[int, ...], dtype: DType = dt.float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def activation(op: Any = ActFunc.Exp, **more: Any) -> ActivationOp:
    operands: dict[str, Any] = {
        "dst": tile((128, 64), dt.bfloat16),
        "data": tile((128, 64), space=Space.psum),
        "engine": Engine.ACT,
    }
    return ActivationOp(op=op, **(operands | more))


def reducing(reduce_op: AluOp = AluOp.add, **more: Any) -> ActivationAccumulationOp:
    operands: dict[str, Any] = {
        "dst": tile((128, 64)),
        "op": ActFunc.Square,
        "data": tile((128, 64)),
        "reduce_res": tile((128, 1)),
        "engine": Engine.ACT,
    }
    return ActivationAccumulationOp(reduce_op=reduce_op, **(operands | more))


def codes(inst: Inst, t: Any = GEN3) -> list[str]:
    return [p.code.id for p in problems(inst, t)]


def f32(*rows: list[float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(rows, np.float32)


# --- meaning --------------------------------------------------------------------------------------


def test_scale_then_bias_then_function() -> None:
    data, bias, scale = f32([1, -2], [3, 4]), f32([1], [-8]), f32([2], [2])
    out, res, acc = activation(ActFunc.Relu).sem(data, bias, scale, f32([5], [6]))
    assert out.dtype == np.float32
    assert out.tolist() == [[3, 0], [0, 0]]
    assert res is None
    assert acc.tolist() == [[5], [6]]


def test_no_bias_and_a_number_as_scale() -> None:
    out, _, _ = activation(ActFunc.Square).sem(f32([1, -3]), None, np.float32(2), f32([0]))
    assert out.tolist() == [[4, 36]]


@pytest.mark.parametrize(
    ("command", "want"),
    [
        (ReduceCmd.Idle, 10),
        (ReduceCmd.Zero, 0),
        (ReduceCmd.Accumulate, 10 + 14),
        (ReduceCmd.ZeroAccumulate, 14),
    ],
)
def test_commands_of_the_accumulators(command: ReduceCmd, want: float) -> None:
    inst = activation(
        ActFunc.Square, reduce_cmd=command, reduce_op=AluOp.add, reduce_res=tile((128, 1))
    )
    out, res, acc = inst.sem(f32([1, 2, 3]), None, ONE, f32([10]))
    assert out.tolist() == [[1, 4, 9]]
    assert res is not None
    assert (res.tolist(), acc.tolist()) == ([[want]], [[want]])


def test_two_instructions_accumulate_into_one_result() -> None:
    first = activation(ActFunc.Copy, reduce_op=AluOp.add, reduce_cmd=ReduceCmd.ZeroAccumulate)
    last = activation(
        ActFunc.Copy, reduce_op=AluOp.add, reduce_cmd=ReduceCmd.Accumulate,
        reduce_res=tile((128, 1)),
    )  # fmt: skip
    _, nothing, acc = first.sem(f32([1, 2]), None, ONE, f32([99]))
    _, res, _ = last.sem(f32([4, 8]), None, ONE, acc)
    assert nothing is None
    assert res is not None
    assert res.tolist() == [[15]]


def test_the_sum_is_of_results_before_rounding() -> None:
    inst = activation(ActFunc.Copy, reduce_op=AluOp.add, reduce_cmd=ReduceCmd.ZeroAccumulate)
    _, _, acc = inst.sem(f32([1 + 2**-10] * 4), None, ONE, f32([0]))
    assert acc.tolist() == [[4 + 2**-8]]


def test_activation_reduce_resets_first() -> None:
    out, res, acc = reducing().sem(f32([1, 2], [3, 4]), None, ONE, f32([7], [7]))
    assert out.tolist() == [[1, 4], [9, 16]]
    assert res is not None
    assert res.tolist() == acc.tolist() == [[5], [25]]


def test_activation_reduce_may_leave_the_result_in_the_accumulators() -> None:
    _, res, acc = reducing(reduce_res=None).sem(f32([1, 2]), None, ONE, f32([7]))
    assert res is None
    assert acc.tolist() == [[5]]


@pytest.mark.parametrize(
    ("op", "want"),
    [(AluOp.max, -1), (AluOp.min, -3), (AluOp.abs_max, -3), (AluOp.abs_min, -1)],
)
def test_other_reductions_start_from_their_neutral_element(op: AluOp, want: float) -> None:
    inst = reducing(op, op=ActFunc.Copy)
    _, _, acc = inst.sem(f32([-1, -3, -2]), None, ONE, f32([100]))
    assert acc.tolist() == [[want]]


def test_prelu_uses_alpha() -> None:
    inst = activation(ActFunc.Prelu, alpha=0.25)
    assert inst.sem(f32([4, -4]), None, ONE, f32([0]))[0].tolist() == [[4, -1]]
    assert codes(inst) == []


def test_domains_are_of_the_scaled_and_biased_input() -> None:
    assert activation(ActFunc.Exp).domain_of() is None
    assert activation(ActFunc.Sin).domain_of() == (-np.pi, np.pi, False)
    assert activation(ActFunc.Reciprocal).domain_of() == (2.0**-42, 2.0**42, True)
    assert reducing(op=ActFunc.Ln).domain_of() == (2.0**-64, 2.0**64, False)
    operands = (f32([1, 2]), np.float32(3), np.float32(2), f32([0]))
    assert activation().argument(*operands).tolist() == [[5, 7]]


def test_overflow_of_the_argument_does_not_warn() -> None:
    out, _, _ = activation(ActFunc.Copy).sem(f32([3e38]), None, np.float32(10), f32([0]))
    assert out.tolist() == [[np.inf]]


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [GEN2, GEN3, GEN4])
def test_data_in_psum_and_a_bfloat16_result_are_legal(t: Any) -> None:
    assert codes(activation(), t) == []
    assert codes(reducing(), t) == []


def test_the_operator_is_an_activation_function() -> None:
    assert codes(activation(AluOp.add)) == ["NKI2501"]
    assert codes(reducing(op=AluOp.add)) == ["NKI2501"]


def test_scale_is_float32() -> None:
    assert codes(activation(scale=tile((128, 1)))) == []
    assert codes(activation(scale=tile((128, 1), dt.bfloat16))) == ["NKI2106"]
    assert codes(activation(scale=2)) == []
    assert codes(activation(scale="2")) == ["NKI2121"]
    assert codes(activation(scale=None)) == ["NKI2121"]
    assert codes(activation(scale=1e39)) == ["NKI2121"]


def test_scale_and_bias_have_one_value_per_partition() -> None:
    assert codes(activation(scale=tile((128, 2)))) == ["NKI2107"]
    assert codes(activation(bias=tile((128, 2)))) == ["NKI2107"]
    assert codes(activation(bias=tile((64, 1)))) == ["NKI2101"]


def test_bias_is_any_dtype_but_tfloat32() -> None:
    assert codes(activation(bias=tile((128, 1), dt.bfloat16))) == []
    assert codes(activation(bias=tile((128, 1), dt.int8))) == []
    assert codes(activation(bias=tile((128, 1), dt.tfloat32))) == ["NKI2106"]


def test_a_number_as_bias_needs_gen3_unless_it_is_zero() -> None:
    assert codes(activation(bias=1.0), GEN3) == []
    assert codes(activation(bias=1.0), GEN2) == ["NKI2502"]
    assert codes(activation(bias=0.0), GEN2) == []
    assert codes(activation(bias=tile((128, 1))), GEN2) == []
    assert codes(reducing(bias=-1.0), GEN2) == ["NKI2502"]


def test_reciprocal_takes_no_bias_on_gen2() -> None:
    biased = activation(ActFunc.Reciprocal, bias=tile((128, 1)))
    assert codes(biased, GEN2) == ["NKI2123"]
    assert codes(biased, GEN3) == []
    assert codes(activation(ActFunc.Reciprocal, bias=0.0), GEN2) == []


def test_prelu_without_a_slope_is_a_warning() -> None:
    for inst in (activation(ActFunc.Prelu), reducing(op=ActFunc.Prelu)):
        (found,) = problems(inst, GEN3)
        assert (found.code.id, found.code.severity.value) == ("NKI2504", "warning")
        assert diagnostic(found, UNKNOWN).message == "prelu has slope 0 here, which makes it relu"


def test_activation_reduces_with_add_only() -> None:
    add = {"reduce_op": AluOp.add, "reduce_cmd": ReduceCmd.ZeroAccumulate}
    assert codes(activation(**add), GEN4) == []
    assert codes(activation(**add | {"reduce_op": AluOp.max}), GEN4) == ["NKI2117"]


def test_activation_reduce_knows_more_operators_on_gen4() -> None:
    assert codes(reducing(AluOp.max), GEN4) == []
    assert codes(reducing(AluOp.max), GEN3) == ["NKI2117"]
    assert codes(reducing(AluOp.mult), GEN4) == ["NKI2117"]
    assert codes(reducing(AluOp.bypass), GEN4) == ["NKI2117"]


def test_reduce_op_and_reduce_cmd_belong_together() -> None:
    assert codes(activation(reduce_cmd=ReduceCmd.Accumulate)) == ["NKI2122"]
    assert codes(activation(reduce_op=AluOp.add)) == ["NKI2123"]
    assert codes(activation(reduce_op=AluOp.add, reduce_cmd=ReduceCmd.Zero)) == ["NKI2123"]


def test_load_reduce_has_nothing_to_load() -> None:
    inst = activation(reduce_cmd=ReduceCmd.LoadAccumulate)
    assert codes(inst) == ["NKI2124"]


def test_the_accumulators_can_be_read_or_reset_without_a_reduction() -> None:
    for command in (ReduceCmd.Idle, ReduceCmd.Zero):
        assert codes(activation(reduce_res=tile((128, 1)), reduce_cmd=command)) == []


def test_the_result_of_a_reduction_is_one_value_per_partition() -> None:
    assert codes(reducing(reduce_res=tile((128, 2)))) == ["NKI2107"]
    assert codes(reducing(reduce_res=None)) == []


def test_packed_dtypes_have_no_single_value() -> None:
    assert codes(activation(data=tile((128, 64), dt.float8_e4m3fn_x4)), GEN4) == ["NKI2106"]


def test_it_runs_on_the_scalar_engine_only() -> None:
    assert codes(activation(engine=Engine.DVE)) == ["NKI2113"]
