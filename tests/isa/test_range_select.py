"""`range_select`: which elements are kept, what the others become, the maximum, and each rule."""

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
from opennki.isa.enums import AluOp, Engine, ReduceCmd
from opennki.isa.range_select import FILL, RangeSelect
from opennki.target import target

SBUF, PSUM = Space.sbuf, Space.psum
LEVELS = ("penguin", "bir", "program")


def tile(shape: tuple[int, ...], dtype: DType = dt.float32, space: Space = SBUF) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def select(p: int = 128, f: int = 8, **more: Any) -> RangeSelect:
    """Keep where ``bound0 <= index < bound1``."""
    fields: dict[str, Any] = {
        "dst": tile((p, f)),
        "on_true_tile": tile((p, f)),
        "comp_op0": AluOp.is_ge,
        "comp_op1": AluOp.is_lt,
        "bound0": tile((p, 1)),
        "bound1": tile((p, 1)),
        "engine": Engine.DVE,
    }
    return RangeSelect(**(fields | more))


def codes(inst: Inst, on: str = "trn2") -> list[str]:
    return [p.code.id for p in problems(inst, target(on))]


def f32(*rows: list[float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(rows, np.float32)


ROW = f32([10, 11, 12, 13])
ZERO = f32([0])


# --- values ---------------------------------------------------------------------------------------


def test_elements_within_the_bounds_are_kept() -> None:
    got, res, acc = select(2, 4).sem(
        f32([10, 11, 12, 13], [20, 21, 22, 23]), f32([1], [2]), f32([3], [9]), f32([99], [99])
    )
    assert got.dtype == np.float32
    assert got.tolist() == [[FILL, 11, 12, FILL], [FILL, FILL, 22, 23]]
    assert res is None
    assert acc.tolist() == [[12], [23]]


def test_the_fill_value_is_the_smallest_float32() -> None:
    assert -float(np.finfo(np.float32).max) == FILL
    assert np.float32(FILL).view(np.uint32) == 0xFF7FFFFF


@pytest.mark.parametrize(
    ("op", "want"),
    [
        (AluOp.is_equal, [0, 0, 1, 0]), (AluOp.is_lt, [1, 1, 0, 0]), (AluOp.is_le, [1, 1, 1, 0]),
        (AluOp.is_gt, [0, 0, 0, 1]), (AluOp.is_ge, [0, 0, 1, 1]),
    ],
)  # fmt: skip
def test_all_five_comparisons_have_the_index_on_the_left(op: AluOp, want: list[int]) -> None:
    always = f32([-1])
    first = select(1, 4, comp_op0=op, comp_op1=AluOp.is_gt).sem(ROW, f32([2]), always, ZERO)[0]
    second = select(1, 4, comp_op0=AluOp.is_gt, comp_op1=op).sem(ROW, always, f32([2]), ZERO)[0]
    assert (first > FILL).tolist() == (second > FILL).tolist() == [[bool(w) for w in want]]


def test_the_index_starts_where_it_is_told() -> None:
    got = select(1, 4, range_start=-2).sem(ROW, f32([-1]), f32([1]), ZERO)[0]
    assert got.tolist() == [[FILL, 11, 12, FILL]]


def test_bounds_may_lie_between_indices_or_be_no_number() -> None:
    assert select(1, 4).sem(ROW, f32([0.5]), f32([2.5]), ZERO)[0].tolist() == [[FILL, 11, 12, FILL]]
    nothing = select(1, 4).sem(ROW, f32([np.nan]), f32([np.inf]), ZERO)[0]
    assert nothing.tolist() == [[FILL] * 4]


def test_indices_are_exact_up_to_the_last_one() -> None:
    inst = select(1, 4, range_start=2**24 - 3, comp_op0=AluOp.is_equal, comp_op1=AluOp.is_equal)
    last = f32([2**24])
    assert inst.sem(ROW, last, last, ZERO)[0].tolist() == [[FILL, FILL, FILL, 13]]


@pytest.mark.parametrize(
    ("command", "want"),
    [
        (ReduceCmd.Idle, 50), (ReduceCmd.Zero, -np.inf), (ReduceCmd.Accumulate, 50),
        (ReduceCmd.ZeroAccumulate, 12),
    ],
)  # fmt: skip
def test_commands_of_the_accumulators(command: ReduceCmd, want: float) -> None:
    inst = select(1, 4, reduce_cmd=command)
    got, res, acc = inst.sem(ROW, f32([1]), f32([3]), f32([50]))
    assert (got.tolist(), res, acc.tolist()) == ([[FILL, 11, 12, FILL]], None, [[want]])


def test_the_maximum_of_nothing_is_the_fill_value() -> None:
    inst = select(1, 4, reduce_res=tile((1, 1)))
    _, res, acc = inst.sem(ROW, f32([9]), f32([9]), f32([50]))
    assert res is not None
    assert res.tolist() == acc.tolist() == [[FILL]]


def test_a_maximum_goes_on() -> None:
    inst = select(1, 4, reduce_cmd=ReduceCmd.Accumulate, reduce_res=tile((1, 1)))
    _, res, _ = inst.sem(ROW, f32([0]), f32([9]), f32([12.5]))
    assert res is not None
    assert res.tolist() == [[13]]


# --- whole kernels, against NumPy -----------------------------------------------------------------


@nki.jit
def masked(x, low, high, start, dtype):
    out = nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm)
    top = nl.ndarray((x.shape[0], 1), dtype=dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    most = nl.ndarray((x.shape[0], 1), dtype=dtype, buffer=nl.sbuf)
    nisa.range_select(
        dst=kept, on_true_tile=nl.load(x), comp_op0=nl.greater_equal, comp_op1=nl.less,
        bound0=nl.load(low), bound1=nl.load(high), reduce_res=most, reduce_op=nl.maximum,
        range_start=start, on_false_value=-3.4028235e38,
    )  # fmt: skip
    nl.store(out, kept)
    nl.store(top, most)
    return out, top


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "dtype",
    [np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2],
)
def test_a_kernel_that_masks_equals_numpy_at_every_level(rng, level, dtype):
    x = rng.standard_normal((128, 96)).astype(dtype)
    low = rng.integers(30, 90, (128, 1)).astype(np.float32)
    high = low + rng.integers(0, 40, (128, 1)).astype(np.float32)
    got, top = nki.simulate(masked, target="trn2", level=level)(x, low, high, 32, np.dtype(dtype))
    index = (32 + np.arange(96, dtype=np.float32))[None]
    kept = np.where((index >= low) & (index < high), x.astype(np.float32), FILL).astype(np.float32)
    with np.errstate(over="ignore"):
        assert np.array_equal(np.asarray(got), kept.astype(dtype))
        assert np.array_equal(np.asarray(top), kept.max(axis=1, keepdims=True).astype(dtype))
    assert dtype == np.float32 or np.isneginf(np.asarray(got).astype(np.float32)).any()


@nki.jit
def chained(x, low, high):
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    most = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    t, bound0, bound1 = nl.load(x), nl.load(low), nl.load(high)
    kept = nl.ndarray((x.shape[0], 32), dtype=nl.float32, buffer=nl.psum)
    for i in range(3):
        nisa.range_select(
            dst=kept, on_true_tile=t[:, 32 * i : 32 * i + 32], comp_op0=nl.greater,
            comp_op1=nl.less_equal, bound0=bound0, bound1=bound1, range_start=32 * i,
            reduce_cmd=nisa.reduce_cmd.reduce if i else nisa.reduce_cmd.reset_reduce,
            reduce_res=most if i == 2 else None,
        )  # fmt: skip
    nl.store(out, most)
    return out


@pytest.mark.parametrize("level", LEVELS)
def test_a_maximum_over_three_tiles_stays_in_the_accumulators(rng, level):
    x = rng.standard_normal((128, 96)).astype(np.float32)
    low = rng.integers(-5, 60, (128, 1)).astype(np.float32)
    high = rng.integers(60, 100, (128, 1)).astype(np.float32)
    got = nki.simulate(chained, target="trn3", level=level)(x, low, high)
    index = np.arange(96, dtype=np.float32)[None]
    want = np.where((index > low) & (index <= high), x, FILL).max(axis=1, keepdims=True)
    assert np.array_equal(np.asarray(got), want.astype(np.float32))


# --- rules ----------------------------------------------------------------------------------------


def test_legal_range_selects() -> None:
    assert codes(select()) == codes(select(), "trn3") == []
    assert codes(select(on_true_tile=tile((128, 8), dt.bfloat16, PSUM))) == []
    assert codes(select(dst=tile((128, 2, 4), dt.float8_e4m3), reduce_res=tile((128, 1)))) == []
    assert codes(select(reduce_cmd=ReduceCmd.Zero, reduce_res=tile((128, 1)))) == []


def test_gen2_has_no_range_select() -> None:
    assert codes(select(), "trn1") == ["NKI2108"]


@pytest.mark.parametrize("dtype", [dt.int32, dt.uint8, dt.bool_, dt.float8_e5m2_x4])
def test_what_is_selected_is_a_float(dtype: DType) -> None:
    assert codes(select(on_true_tile=tile((128, 8), dtype))) == ["NKI2106"]


@pytest.mark.parametrize("name", ["bound0", "bound1"])
def test_bounds_are_vectors_of_float32(name: str) -> None:
    assert codes(select(**{name: tile((128, 1), dt.bfloat16)})) == ["NKI2106"]
    assert codes(select(**{name: tile((128, 8))})) == ["NKI2107"]
    assert codes(select(**{name: tile((64, 1))})) == ["NKI2101"]
    assert codes(select(**{name: 3.0})) == ["NKI2121"]


@pytest.mark.parametrize("name", ["comp_op0", "comp_op1"])
@pytest.mark.parametrize("op", [AluOp.not_equal, AluOp.add, AluOp.bitwise_and])
def test_other_operators_do_not_compare(name: str, op: AluOp) -> None:
    assert codes(select(**{name: op})) == ["NKI2117"]


def test_it_reduces_with_max_only() -> None:
    assert codes(select(reduce_op=AluOp.min)) == ["NKI2117"]


@pytest.mark.parametrize("value", [FILL, -3.4028235e38, np.float32(FILL)])
def test_spellings_of_the_fill_value(value: object) -> None:
    inst = select(on_false_value=value)
    inst.prepare(target("trn2"))
    assert codes(inst) == []
    assert inst.on_false_value == FILL
    assert type(inst.on_false_value) is float


@pytest.mark.parametrize("value", [0.0, -3.4028233e38, -np.inf, np.nan, 3.4028235e38, "x", None])
def test_other_fill_values_are_refused(value: object) -> None:
    inst = select(on_false_value=value)
    inst.prepare(target("trn2"))
    assert codes(inst) == ["NKI2124"]


def test_there_is_nothing_to_load_and_nothing_to_write_when_idle() -> None:
    assert codes(select(reduce_cmd=ReduceCmd.LoadAccumulate)) == ["NKI2124"]
    assert codes(select(reduce_cmd=ReduceCmd.Idle)) == []
    assert codes(select(reduce_cmd=ReduceCmd.Idle, reduce_res=tile((128, 1)))) == ["NKI2123"]


def test_indices_stay_where_float32_is_exact() -> None:
    assert codes(select(range_start=2**24 - 7)) == codes(select(range_start=-(2**24))) == []
    assert codes(select(range_start=2**24 - 6)) == ["NKI2608"]
    assert codes(select(range_start=-(2**24) - 1)) == ["NKI2608"]
    assert codes(select(range_start=0.5)) == codes(select(range_start=True)) == ["NKI2124"]
