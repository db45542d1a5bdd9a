"""`tensor_scalar_cumulative`: running values, how they start and go on, and each rule."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.cumulative import TensorScalarCacheCumulative
from opennki.isa.enums import AluOp, Engine, ReduceCmd
from opennki.isa.reduce import TensorScalarCacheReduce
from opennki.lower.rules import RULES
from opennki.lower.table import lift
from opennki.target import target

SBUF, PSUM = Space.sbuf, Space.psum
LEVELS = ("penguin", "bir", "program")
ADD, SUB, MULT, MAX, MIN = AluOp.add, AluOp.subtract, AluOp.mult, AluOp.max, AluOp.min


def tile(shape: tuple[int, ...], dtype: DType = dt.float32, space: Space = SBUF) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def running(op0: AluOp = MULT, op1: AluOp = ADD, **more: Any) -> TensorScalarCacheCumulative:
    fields: dict[str, Any] = {
        "dst": tile((128, 4)), "src": tile((128, 4)), "imm0": 2.0, "engine": Engine.DVE,
    }  # fmt: skip
    return TensorScalarCacheCumulative(op0=op0, op1=op1, **(fields | more))


def codes(inst: Inst, on: str = "trn2") -> list[str]:
    return [p.code.id for p in problems(inst, target(on))]


def f32(*rows: list[float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(rows, np.float32)


ROW = f32([1, -3, 2, 5])
TWO = np.float32(2)
NINE = f32([9])


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op1", "want"),
    [
        (ADD, [2, -4, 0, 10]), (SUB, [2, -8, 12, -2]), (MULT, [2, -12, -48, -480]),
        (MAX, [2, 2, 4, 10]), (MIN, [2, -6, -6, -6]),
    ],
)  # fmt: skip
def test_each_operator_starts_with_its_identity(op1: AluOp, want: list[float]) -> None:
    got, acc = running(MULT, op1).sem(ROW, TWO, None, NINE)
    assert got.dtype == np.float32
    assert got.tolist() == [want]
    assert acc.tolist() == [want[-1:]]


def test_a_running_value_goes_on_where_it_was() -> None:
    got, acc = running(ADD, ADD, reduce_cmd=ReduceCmd.Accumulate).sem(ROW, TWO, None, NINE)
    assert got.tolist() == [[12, 11, 15, 22]]
    assert acc.tolist() == [[22]]


def test_a_running_value_is_loaded_and_may_differ_by_partition() -> None:
    inst = running(ADD, MAX, reduce_cmd=ReduceCmd.LoadAccumulate)
    got, acc = inst.sem(np.vstack([ROW, ROW]), f32([0], [10]), f32([1.5], [20]), f32([9], [9]))
    assert got.tolist() == [[1.5, 1.5, 2, 5], [20, 20, 20, 20]]
    assert acc.tolist() == [[5], [20]]


def test_subtract_takes_the_running_value_from_the_new_one() -> None:
    loads = {"reduce_cmd": ReduceCmd.LoadAccumulate}
    assert running(ADD, SUB, **loads).sem(f32([1, 1]), TWO, np.float32(10), NINE)[0].tolist() == [
        [-7, 10]
    ]


def test_a_unary_operator_comes_before_the_running_one() -> None:
    got, _ = running(AluOp.abs, ADD, imm0=0.0).sem(ROW, np.float32(0), None, NINE)
    assert got.tolist() == [[1, 4, 6, 11]]


def test_bir_can_swap_the_inputs_of_the_first_operator() -> None:
    got, _ = running(SUB, ADD, reverse0=True).sem(ROW, TWO, None, NINE)
    assert got.tolist() == [[1, 6, 6, 3]]


def test_what_is_not_a_number_stays_so() -> None:
    got, acc = running(ADD, MAX).sem(f32([1, np.nan, 3]), TWO, None, NINE)
    assert np.isnan(got).tolist() == [[False, True, True]]
    assert np.isnan(acc).all()


# --- whole kernels, against NumPy -----------------------------------------------------------------


@nki.jit
def chained(x, scale, first, op0, op1, dtype):
    out = nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm)
    t, made = nl.load(x), nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    vector, start = nl.load(scale), nl.load(first)
    half = x.shape[1] // 2
    nisa.tensor_scalar_cumulative(
        dst=made[:, 0:half], src=t[:, 0:half], op0=op0, op1=op1, imm0=vector, imm1=start,
        reduce_cmd=nisa.reduce_cmd.load_reduce,
    )  # fmt: skip
    nisa.tensor_scalar_cumulative(
        dst=made[:, half:], src=t[:, half:], op0=op0, op1=op1, imm0=vector, imm1=start,
        reduce_cmd=nisa.reduce_cmd.reduce,
    )  # fmt: skip
    nl.store(out, made)
    return out


STEPS = {
    "add": (nl.add, np.add), "subtract": (nl.subtract, np.subtract),
    "multiply": (nl.multiply, np.multiply), "maximum": (nl.maximum, np.maximum),
    "minimum": (nl.minimum, np.minimum),
}  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("op1", STEPS)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_running_values_of_two_tiles_equal_numpy_at_every_level(rng, level, op1, dtype):
    x = rng.standard_normal((128, 48)).astype(np.float32)
    scale, first = rng.standard_normal((2, 128, 1)).astype(np.float32)
    step, numpy_step = STEPS[op1]
    got = nki.simulate(chained, target="trn2", level=level)(
        x, scale, first, nl.multiply, step, np.dtype(dtype)
    )
    want, last = np.empty_like(x), first[:, 0]
    for f, column in enumerate((x * scale).T):
        want[:, f] = last = numpy_step(column, last)
    assert np.array_equal(np.asarray(got), want.astype(dtype))


@nki.jit
def cumulative_sum(x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    made = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_scalar_cumulative(
        dst=made, src=nl.load(x), op0=nl.add, op1=nl.add, imm0=np.float32(0.0)
    )
    nl.store(out, nl.copy(made))
    return out


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_a_cumulative_sum_of_bytes_is_exact(rng, level, on):
    x = rng.integers(0, 256, (128, 64)).astype(np.uint8)
    got = nki.simulate(cumulative_sum, target=on, level=level)(x)
    assert np.array_equal(np.asarray(got), np.cumsum(x.astype(np.int64), axis=1))


# --- BIR ------------------------------------------------------------------------------------------


def lifted(**attrs: object) -> Inst:
    """What an instruction of the opcode means that has numbers as its three inputs."""
    given = {"op0": MULT, "op1": SUB, "acc": ReduceCmd.LoadAccumulate, "reverse0": True, **attrs}
    ins = tuple(birpy.Immediate(dt.float32, n) for n in (1.0, 2.0, 3.0))
    inst = birpy.Instruction("TensorScalarCache", Engine.DVE, "i", ins, (), given)
    return lift(inst, target("trn2"), lambda pattern: tile((1, 1)), RULES)


def test_the_mode_of_the_opcode_says_which_instruction_it_is() -> None:
    assert isinstance(lifted(), TensorScalarCacheReduce)
    made = lifted(mode=birpy.TSCMode.Cumulative)
    assert isinstance(made, TensorScalarCacheCumulative)
    assert (made.src, made.imm0, made.imm1) == (1.0, 2.0, 3.0)
    assert (made.op0, made.op1, made.reverse0) == (MULT, SUB, True)
    assert made.reduce_cmd is ReduceCmd.LoadAccumulate


def test_the_third_mode_of_the_opcode_is_no_instruction_yet() -> None:
    with pytest.raises(KeyError):
        lifted(mode=birpy.TSCMode.TensorScan)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_legal_running_values(on: str) -> None:
    assert codes(running(), on) == []
    assert codes(running(imm0=tile((128, 1)), dst=tile((128, 4), dt.uint8, PSUM)), on) == []
    assert codes(running(reduce_cmd=ReduceCmd.Accumulate), on) == []
    assert codes(running(reduce_cmd=ReduceCmd.Accumulate, imm1=1.0), on) == []
    for first in (0, -2.5, tile((128, 1))):
        assert codes(running(reduce_cmd=ReduceCmd.LoadAccumulate, imm1=first), on) == []


@pytest.mark.parametrize("name", ["dst", "src"])
@pytest.mark.parametrize("dtype", [dt.int32, dt.uint32, dt.tfloat32, dt.bool_, dt.float8_e5m2_x4])
def test_dtypes_that_are_not_taken(name: str, dtype: DType) -> None:
    assert codes(running(**{name: tile((128, 4), dtype)})) == ["NKI2106"]


def test_operators() -> None:
    for op1 in (AluOp.divide, AluOp.abs_max, AluOp.logical_or, AluOp.bitwise_or, AluOp.abs):
        assert codes(running(op1=op1)) == ["NKI2117"]
    assert codes(running(AluOp.bitwise_and, imm0=1)) == ["NKI2117"]
    assert codes(running(AluOp.pow)) == ["NKI2118"]
    assert codes(running(AluOp.abs)) == ["NKI2124"]
    assert codes(running(AluOp.is_lt)) == codes(running(AluOp.abs, imm0=0)) == []


def test_numbers_of_partitions_are_float32_vectors() -> None:
    loads = {"reduce_cmd": ReduceCmd.LoadAccumulate}
    assert codes(running(imm0=tile((128, 1), dt.bfloat16))) == ["NKI2106"]
    assert codes(running(imm0=tile((128, 4)))) == ["NKI2107"]
    assert codes(running(imm0="x")) == ["NKI2121"]
    assert codes(running(**loads, imm1=tile((128, 1), dt.int32))) == ["NKI2106"]
    assert codes(running(**loads, imm1=tile((128, 2)))) == ["NKI2107"]
    assert codes(running(**loads, imm1=1e39)) == ["NKI2121"]


def test_commands_and_what_they_need() -> None:
    assert codes(running(reduce_cmd=ReduceCmd.Idle)) == ["NKI2124"]
    assert codes(running(reduce_cmd=ReduceCmd.Zero)) == ["NKI2124"]
    assert codes(running(reduce_cmd=ReduceCmd.LoadAccumulate)) == ["NKI2122"]
    assert codes(running(imm1=0.0)) == ["NKI2123"]
