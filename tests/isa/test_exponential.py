"""`exponential`: values, the running sum in the accumulators, and each rule."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.enums import Engine, ReduceCmd
from opennki.isa.exponential import Exponential
from opennki.target import target

SBUF, PSUM = Space.sbuf, Space.psum
LEVELS = ("penguin", "bir", "program")
SUM = 96 * 2.0**-23
"""Relative tolerance for sums of 96 positive float32 numbers in any order."""


def tile(shape: tuple[int, ...], dtype: DType = dt.float32, space: Space = SBUF) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def exponential(**more: Any) -> Exponential:
    fields: dict[str, Any] = {"dst": tile((128, 4)), "src": tile((128, 4)), "engine": Engine.DVE}
    return Exponential(**(fields | more))


def codes(inst: Inst, on: str = "trn3") -> list[str]:
    return [p.code.id for p in problems(inst, target(on))]


def f32(*rows: list[float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(rows, np.float32)


NONE = np.float32(0)


# --- values ---------------------------------------------------------------------------------------


def test_exp_of_the_difference() -> None:
    got, res, acc = exponential().sem(f32([3, 4, -np.inf, 200]), np.float32(3), NONE, f32([7]))
    assert got.dtype == np.float32
    assert got[0, [0, 2, 3]].tolist() == [1, 0, np.inf]
    assert got[0, 1] == pytest.approx(np.e, rel=2**-22)
    assert (res, acc.tolist()) == (None, [[7]])


def test_a_maximum_of_each_partition() -> None:
    got, _, _ = exponential().sem(f32([5, 5], [9, 9]), f32([5], [9]), NONE, f32([0], [0]))
    assert got.tolist() == [[1, 1], [1, 1]]


def test_a_difference_of_infinities_is_no_number() -> None:
    got, _, _ = exponential().sem(f32([-np.inf]), f32([-np.inf]), NONE, f32([0]))
    assert np.isnan(got).all()


@pytest.mark.parametrize(
    ("command", "want"),
    [
        (ReduceCmd.Idle, 50), (ReduceCmd.ZeroAccumulate, 3), (ReduceCmd.Accumulate, 53),
        (ReduceCmd.LoadAccumulate, 103),
    ],
)  # fmt: skip
def test_commands_of_the_accumulators(command: ReduceCmd, want: float) -> None:
    inst = exponential(reduce_cmd=command, reduce_res=tile((1, 1)))
    _, res, acc = inst.sem(f32([2, 2, 2]), np.float32(2), np.float32(100), f32([50]))
    assert res is not None
    assert res.tolist() == acc.tolist() == [[want]]


def test_a_sum_may_start_differently_in_each_partition() -> None:
    inst = exponential(reduce_cmd=ReduceCmd.LoadAccumulate)
    _, res, acc = inst.sem(f32([0, 0], [0, 0]), NONE, f32([10], [20]), f32([1], [1]))
    assert (res, acc.tolist()) == (None, [[12], [22]])


# --- whole kernels, against NumPy -----------------------------------------------------------------


@nki.jit
def softmax(x, dtype):
    out = nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm)
    sums = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.load(x)
    top = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=top, op=nl.maximum, data=t, axis=1)
    total = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    made = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    half = x.shape[1] // 2
    nisa.exponential(
        dst=made[:, 0:half], src=t[:, 0:half], max_value=top,
        reduce_cmd=nisa.reduce_cmd.reset_reduce,
    )  # fmt: skip
    nisa.exponential(
        dst=made[:, half:], src=t[:, half:], max_value=top, reduce_res=total,
        reduce_cmd=nisa.reduce_cmd.reduce,
    )  # fmt: skip
    nl.store(out, made)
    nl.store(sums, total)
    return out, sums


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_a_softmax_equals_numpy_at_every_level(rng, level, dtype):
    x = rng.standard_normal((128, 96)).astype(np.float32) * 4
    got, sums = nki.simulate(softmax, target="trn3", level=level)(x, np.dtype(dtype))
    want = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    step = float(ml_dtypes.finfo(dtype).eps)  # float32 holds differences of +-30 to 2**-19
    np.testing.assert_allclose(np.asarray(got).astype(np.float64), want, rtol=step + 2**-19)
    np.testing.assert_allclose(np.asarray(sums), want.sum(axis=1, keepdims=True), rtol=SUM + 2**-19)


@nki.jit
def loaded(x, first):
    out = nl.ndarray((x.shape[0], 2), dtype=nl.float32, buffer=nl.shared_hbm)
    t, made = nl.load(x), nl.ndarray(x.shape, dtype=nl.uint8, buffer=nl.psum)
    sums = nl.ndarray((x.shape[0], 2), dtype=nl.float32, buffer=nl.sbuf)
    load = nisa.reduce_cmd.load_reduce
    nisa.exponential(made, t, 0.0, sums[:, 0:1], load, nl.load(first))
    nisa.exponential(made, t, 0.0, sums[:, 1:2], load, 0.5)
    nl.store(out, sums)
    return out


@pytest.mark.parametrize("level", LEVELS)
def test_a_sum_that_is_loaded_starts_again_at_every_level(rng, level):
    x = np.zeros((128, 8), np.float32)
    first = rng.integers(0, 99, (128, 1)).astype(np.float32)
    got = nki.simulate(loaded, target="trn3", level=level)(x, first)
    assert np.array_equal(np.asarray(got), np.hstack([first + 8, np.full_like(first, 8.5)]))


# --- rules ----------------------------------------------------------------------------------------


def test_legal_exponentials() -> None:
    assert codes(exponential()) == []
    assert codes(exponential(dst=tile((128, 4), dt.int8, PSUM), src=tile((128, 2, 2)))) == []
    sums = {"reduce_res": tile((128, 1), dt.bfloat16)}
    assert codes(exponential(max_value=tile((128, 1)), reduce_cmd=ReduceCmd.Accumulate)) == []
    assert codes(exponential(**sums, reduce_cmd=ReduceCmd.ZeroAccumulate, reduce_init=0)) == []
    for first in (0.0, -3, tile((128, 1))):
        loads = {"reduce_cmd": ReduceCmd.LoadAccumulate, "reduce_init": first}
        assert codes(exponential(**sums, **loads)) == []


@pytest.mark.parametrize("name", ["trn1", "trn2"])
def test_older_targets_have_no_exponential(name: str) -> None:
    assert codes(exponential(), name) == ["NKI2108"]


@pytest.mark.parametrize("dtype", [dt.uint32, dt.float8_e4m3fn, dt.bool_, dt.float8_e5m2_x4])
def test_dtypes_that_are_not_written(dtype: DType) -> None:
    assert codes(exponential(dst=tile((128, 4), dtype))) == ["NKI2106"]


@pytest.mark.parametrize("dtype", [dt.tfloat32, dt.float8_e4m3fn, dt.float8_e5m2_x4])
def test_dtypes_that_are_not_read(dtype: DType) -> None:
    assert codes(exponential(src=tile((128, 4), dtype))) == ["NKI2106"]


def test_numbers_of_partitions_are_float32_vectors() -> None:
    assert codes(exponential(max_value=tile((128, 1), dt.bfloat16))) == ["NKI2106"]
    assert codes(exponential(max_value=tile((128, 4)))) == ["NKI2107"]
    assert codes(exponential(max_value="x")) == ["NKI2121"]
    loads = {"reduce_cmd": ReduceCmd.LoadAccumulate}
    assert codes(exponential(**loads, reduce_init=tile((128, 1), dt.int32))) == ["NKI2106"]
    assert codes(exponential(**loads, reduce_init=1e39)) == ["NKI2121"]


def test_sums_are_float_vectors_of_a_command_that_sums() -> None:
    sums = {"reduce_cmd": ReduceCmd.ZeroAccumulate}
    assert codes(exponential(**sums, reduce_res=tile((128, 1), dt.int32))) == ["NKI2106"]
    assert codes(exponential(**sums, reduce_res=tile((128, 2)))) == ["NKI2107"]
    assert codes(exponential(reduce_res=tile((128, 1)))) == ["NKI2123"]
    assert codes(exponential(reduce_cmd=ReduceCmd.Zero)) == ["NKI2124"]


@pytest.mark.parametrize("first", [1.0, np.nan, tile((128, 1))])
@pytest.mark.parametrize(
    "command", [ReduceCmd.Idle, ReduceCmd.ZeroAccumulate, ReduceCmd.Accumulate]
)
def test_only_a_sum_that_is_loaded_has_a_first_value(first: object, command: ReduceCmd) -> None:
    assert codes(exponential(reduce_cmd=command, reduce_init=first)) == ["NKI2123"]


def test_tiles_have_four_dimensions_at_most() -> None:
    whole = tile((128, 3, 3, 3, 3))
    deep = View(whole.tensor, 0, (128, 2, 2, 2, 2), whole.strides, whole.dtype)
    flat = tile((128, 16))
    assert codes(exponential(dst=flat, src=deep)) == ["NKI2110"]
    assert codes(exponential(dst=deep, src=flat)) == ["NKI2110"]
    one = View(whole.tensor, 0, (128, 2, 1, 2, 2), whole.strides, whole.dtype)
    assert codes(exponential(dst=tile((128, 8)), src=one)) == []
    three = View(whole.tensor, 0, (128, 2, 2, 2), whole.strides[:4], whole.dtype)
    assert codes(exponential(dst=tile((128, 8)), src=three)) == []
