"""`affine_select`, `select_reduce`, `tensor_copy_predicated`: values, masks, and each rule."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.dtypes import DType
from opennki.ir import Inst, Masked, Read, Space, Tensor, View, problems
from opennki.isa.enums import AluOp, Engine, ReduceCmd
from opennki.isa.predicate import AffSelTensorScalarOp, SelectReduce, TensorCopyPredicated
from opennki.target import target

T = target("trn2")
SBUF, PSUM = Space.sbuf, Space.psum


def tile(shape: tuple[int, ...], dtype: DType = dt.float32, space: Space = SBUF) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def affine(p: int = 128, f: int = 128, **more: Any) -> AffSelTensorScalarOp:
    """A causal mask: keep where ``partition - column >= 0``."""
    fields: dict[str, Any] = {
        "dst": tile((p, f)),
        "pattern": ((-1, f),),
        "channel_multiplier": 1,
        "on_true_tile": tile((p, f)),
        "on_false_value": -9.0,
        "cmp_op": AluOp.is_ge,
        "engine": Engine.POOL,
    }
    return AffSelTensorScalarOp(**(fields | more))


def select(**more: Any) -> SelectReduce:
    fields: dict[str, Any] = {
        "dst": tile((128, 4)),
        "predicate": tile((128, 4), dt.uint8),
        "on_true": tile((128, 4)),
        "on_false": 0.0,
        "engine": Engine.DVE,
    }
    return SelectReduce(**(fields | more))


def copy(**more: Any) -> TensorCopyPredicated:
    fields: dict[str, Any] = {
        "dst": tile((128, 4), dt.bfloat16),
        "src": tile((128, 4), dt.bfloat16),
        "predicate": tile((128, 4), dt.uint32),
        "engine": Engine.DVE,
    }
    return TensorCopyPredicated(**(fields | more))


def codes(inst: Inst) -> list[str]:
    return [p.code.id for p in problems(inst, T)]


def f32(*rows: list[float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(rows, np.float32)


# --- affine_select --------------------------------------------------------------------------------


def test_a_causal_mask() -> None:
    got = affine(3, 3).sem(f32([1, 2, 3], [4, 5, 6], [7, 8, 9]))
    assert got.dtype == np.float32
    assert got.tolist() == [[1, -9, -9], [4, 5, -9], [7, 8, 9]]


def test_an_identity_matrix_with_an_offset() -> None:
    inst = affine(2, 4, cmp_op=AluOp.is_equal, offset=1, on_false_value=0)
    assert inst.sem(np.ones((2, 4), np.float32)).tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize(
    ("op", "want"),
    [
        (AluOp.is_equal, [0, 1, 0]), (AluOp.not_equal, [1, 0, 1]), (AluOp.is_gt, [0, 0, 1]),
        (AluOp.is_ge, [0, 1, 1]), (AluOp.is_lt, [1, 0, 0]), (AluOp.is_le, [1, 1, 0]),
    ],
)  # fmt: skip
def test_all_six_comparisons(op: AluOp, want: list[int]) -> None:
    inst = affine(1, 3, pattern=((1, 3),), offset=-1, cmp_op=op, on_false_value=0.0)
    assert inst.sem(f32([1, 1, 1])).tolist() == [want]
    assert codes(inst) == []


def test_comparison_sees_integers_that_float32_would_merge() -> None:
    inst = affine(1, 2, pattern=((1, 2),), offset=-(2**31) + 1, cmp_op=AluOp.is_lt)
    assert inst.sem(f32([1, 2])).tolist() == [[1, 2]]
    big = affine(1, 2, pattern=((2**25 + 1, 2),), offset=-(2**25), cmp_op=AluOp.is_equal)
    assert big.sem(f32([1, 2])).tolist() == [[-9, -9]]


def test_integers_of_32_bits_keep_all_of_them() -> None:
    ints = tile((1, 2), dt.int32)
    inst = affine(1, 2, dst=ints, on_true_tile=ints, on_false_value=-2.5)
    assert inst.read_mode() is Read.INT
    got = inst.sem(np.array([[2**31 - 1, 5]], np.int64))
    assert got.dtype == np.int32
    assert got.tolist() == [[2**31 - 1, -2]]
    assert affine(dst=tile((128, 128), dt.int32)).read_mode() is Read.F32


@pytest.mark.parametrize(
    ("value", "dtype", "want"),
    [
        (2.5, dt.int32, 2), (3.5, dt.int32, 4), (1e30, dt.int32, 2**31 - 1),
        (-np.inf, dt.int32, -(2**31)), (-1.0, dt.uint32, 0), (np.inf, dt.uint32, 2**32 - 1),
        (np.nan, dt.int32, 2**31 - 1), (-np.nan, dt.uint32, 0),
    ],
)  # fmt: skip
def test_fill_values_convert_to_integers_as_engines_do(
    value: float, dtype: DType, want: int
) -> None:
    ints = tile((1, 1), dtype)
    inst = affine(1, 1, dst=ints, on_true_tile=ints, on_false_value=value, offset=-1)
    assert inst.sem(np.array([[5]], np.int64)).tolist() == [[want]]


def test_prepare_brings_the_pattern_into_its_normal_form() -> None:
    inst = affine(pattern=[[-1, 128]])
    inst.prepare(T)
    assert inst.pattern == ((-1, 128),)
    broken = affine(pattern=[-1, 128])
    broken.prepare(T)
    assert codes(broken) == ["NKI2602"]


def test_legal_affine_selects() -> None:
    assert codes(affine()) == []
    assert codes(affine(offset=AffineExpr.of(LoopVar("i", 0, 4), 128))) == []
    assert codes(affine(dst=tile((128, 128), dt.bfloat16), pattern=[[-1, 2], [3, 64]])) == []


def test_affine_select_stays_in_sbuf() -> None:
    assert "NKI2105" in codes(affine(dst=tile((128, 128), space=PSUM)))
    assert "NKI2105" in codes(affine(on_true_tile=tile((128, 128), space=PSUM)))


def test_the_pattern_covers_the_tile() -> None:
    assert codes(affine(pattern=((-1, 64),))) == ["NKI2601"]
    assert codes(affine(channel_multiplier=2**31)) == ["NKI2605"]


def test_affine_select_compares() -> None:
    assert codes(affine(cmp_op=AluOp.add)) == ["NKI2117"]


@pytest.mark.parametrize("value", [0, -3.4028234663852886e38, np.float32(2), -np.inf, np.int8(3)])
def test_fill_values_are_numbers(value: object) -> None:
    assert codes(affine(on_false_value=value)) == []


@pytest.mark.parametrize("value", [None, "0", True, 1e39, tile((128, 1))])
def test_other_fill_values_are_refused(value: object) -> None:
    assert codes(affine(on_false_value=value)) == ["NKI2124"]


def test_affine_select_needs_single_values() -> None:
    assert codes(affine(dst=tile((128, 128), dt.float8_e5m2_x4))) == ["NKI2106"]


# --- select_reduce --------------------------------------------------------------------------------

PREDICATE = np.array([[1, 0, 255, 0]], np.uint8)


def test_select_between_a_tile_and_a_number() -> None:
    got, res, acc = select().sem(PREDICATE, f32([1, 2, 3, 4]), np.float32(-1), f32([9]))
    assert isinstance(got, np.ndarray)
    assert got.tolist() == [[1, -1, 3, -1]]
    assert res is None
    assert acc.tolist() == [[9]]


def test_select_with_the_predicate_reversed_and_a_vector() -> None:
    inst = select(reverse_pred=True, on_false=tile((128, 1)))
    got, _, _ = inst.sem(PREDICATE, f32([1, 2, 3, 4]), f32([7]), f32([0]))
    assert isinstance(got, np.ndarray)
    assert got.tolist() == [[7, 2, 7, 4]]


@pytest.mark.parametrize(
    ("command", "before", "want"),
    [
        (ReduceCmd.ZeroAccumulate, 50, -1),
        (ReduceCmd.Accumulate, 50, 50),
        (ReduceCmd.Accumulate, -50, -1),
    ],
)
def test_the_running_maximum(command: ReduceCmd, before: float, want: float) -> None:
    inst = select(reduce_cmd=command, reduce_res=tile((128, 1)))
    _, res, acc = inst.sem(PREDICATE, f32([-3, 2, -1, 4]), np.float32(-9), f32([before]))
    assert res is not None
    assert res.tolist() == acc.tolist() == [[want]]


def test_the_maximum_may_stay_in_the_accumulators() -> None:
    inst = select(reduce_cmd=ReduceCmd.ZeroAccumulate)
    _, res, acc = inst.sem(PREDICATE, f32([1, 2, 3, 4]), np.float32(0), f32([9]))
    assert res is None
    assert acc.tolist() == [[3]]


def test_without_on_false_the_destination_keeps_the_rest() -> None:
    inst = select(on_false=None)
    bits = np.array([[1, 2, 3, 4]], np.float32)
    got, res, acc = inst.sem(PREDICATE, bits, None, f32([9]))
    assert isinstance(got, Masked)
    assert got.values is not None
    assert got.mask.tolist() == [[True, False, True, False]]
    assert (res, acc.tolist()) == (None, [[9]])
    assert inst.read_mode() is Read.RAW
    assert inst.dst in list(inst.reads())
    assert select(dst=tile((128, 4), dt.bfloat16)).dst not in list(select().reads())


def test_legal_selects() -> None:
    assert codes(select()) == []
    assert codes(select(on_false=tile((128, 1), dt.bfloat16))) == []
    assert codes(select(dst=tile((128, 4), dt.bfloat16, PSUM))) == []
    assert codes(select(predicate=tile((128, 2, 2), dt.int16))) == []
    reduces = {"reduce_cmd": ReduceCmd.ZeroAccumulate, "reduce_res": tile((128, 1))}
    assert codes(select(**reduces)) == []


def test_only_one_of_the_inputs_of_a_select_is_in_psum() -> None:
    on_true, predicate = tile((128, 4), space=PSUM), tile((128, 4), dt.uint8, PSUM)
    assert codes(select(on_true=on_true)) == []
    assert codes(select(predicate=predicate)) == []
    assert codes(select(on_true=on_true, predicate=predicate)) == ["NKI2115"]


def test_sizes_of_a_select() -> None:
    assert codes(select(predicate=tile((128, 3), dt.uint8))) == ["NKI2102"]
    assert codes(select(on_true=tile((64, 4)))) == ["NKI2101"]
    assert codes(select(on_false=tile((128, 4)))) == ["NKI2107"]


@pytest.mark.parametrize("dtype", [dt.int32, dt.uint32, dt.tfloat32, dt.float8_e5m2_x4])
def test_dtypes_that_a_select_does_not_take(dtype: DType) -> None:
    assert codes(select(on_true=tile((128, 4), dtype))) == ["NKI2106"]


def test_predicates_of_a_select_are_narrow_integers() -> None:
    assert codes(select(predicate=tile((128, 4), dt.int8))) == []
    assert codes(select(predicate=tile((128, 4), dt.uint32))) == ["NKI2106"]
    assert codes(select(predicate=tile((128, 4), dt.bfloat16))) == ["NKI2106"]


def test_numbers_of_a_select() -> None:
    assert codes(select(on_false="x")) == ["NKI2124"]
    assert codes(select(on_true=1.0)) == ["NKI2121"]


def test_a_select_reduces_with_max_only() -> None:
    assert codes(select(reduce_op=AluOp.min)) == ["NKI2117"]


def test_the_reduction_result_is_a_float_vector_of_a_reducing_command() -> None:
    reduces = {"reduce_cmd": ReduceCmd.Accumulate}
    assert codes(select(**reduces, reduce_res=tile((128, 1), dt.bfloat16))) == []
    assert codes(select(**reduces, reduce_res=tile((128, 1), dt.int32))) == ["NKI2106"]
    assert codes(select(**reduces, reduce_res=tile((128, 4)))) == ["NKI2107"]
    assert codes(select(reduce_res=tile((128, 1)))) == ["NKI2123"]


@pytest.mark.parametrize("command", [ReduceCmd.Zero, ReduceCmd.LoadAccumulate])
def test_commands_that_a_select_does_not_know(command: ReduceCmd) -> None:
    assert codes(select(reduce_cmd=command)) == ["NKI2124"]


def test_a_masked_copy_has_the_rules_of_copy_predicated() -> None:
    wide = tile((128, 4), dt.uint32)
    assert codes(select(on_false=None, predicate=wide)) == []
    assert codes(select(on_false=None, on_true=2.0)) == []
    assert codes(select(on_false=None, predicate=tile((128, 4), dt.int8))) == ["NKI2106"]
    assert codes(select(on_false=None, on_true=tile((128, 4), dt.bfloat16))) == ["NKI2116"]
    assert codes(select(on_false=None, reduce_cmd=ReduceCmd.Accumulate)) == ["NKI2122"]


# --- tensor_copy_predicated -----------------------------------------------------------------------


def test_a_predicated_copy_moves_bits_where_the_predicate_is_not_zero() -> None:
    src = np.array([[np.nan, 2, np.inf, 4]], ml_dtypes.bfloat16)
    inst = copy()
    got = inst.sem(src, np.array([[1, 0, 2**31, 0]], np.uint32))
    assert inst.read_mode() is Read.RAW
    assert got.values.dtype == src.dtype
    assert np.array_equal(got.values.view(np.uint16), src.view(np.uint16))
    assert got.mask.tolist() == [[True, False, True, False]]


def test_reverse_pred_copies_the_others() -> None:
    got = copy(reverse_pred=True).sem(f32([1, 2, 3, 4]), PREDICATE)
    assert got.mask.tolist() == [[False, True, False, True]]


def test_a_number_is_float32_and_the_machine_rounds_it() -> None:
    inst = copy(src=-9984.0)
    assert inst.read_mode() is Read.F32
    got = inst.sem(np.float32(-9984), PREDICATE)  # type: ignore[arg-type]  # what machines pass
    assert got.values.shape == (1, 4)
    assert got.values.dtype == np.float32
    assert codes(inst) == []


def test_the_destination_counts_as_read_because_some_of_it_stays() -> None:
    inst = copy(dst=tile((128, 2, 2), dt.bfloat16))
    assert list(inst.reads()) == [inst.src, inst.predicate, inst.dst]
    assert list(inst.writes()) == [inst.dst]
    assert codes(inst) == []


@pytest.mark.parametrize("dtype", [dt.uint8, dt.uint16, dt.uint32])
def test_predicates_of_a_copy_are_unsigned(dtype: DType) -> None:
    assert codes(copy(predicate=tile((128, 4), dtype))) == []


@pytest.mark.parametrize("dtype", [dt.int8, dt.int32, dt.float32, dt.bool_])
def test_other_predicates_are_refused(dtype: DType) -> None:
    assert codes(copy(predicate=tile((128, 4), dtype))) == ["NKI2106"]


def test_only_one_of_the_inputs_of_a_copy_is_in_psum() -> None:
    src, predicate = tile((128, 4), dt.bfloat16, PSUM), tile((128, 4), dt.uint8, PSUM)
    assert codes(copy(src=src)) == []
    assert codes(copy(predicate=predicate)) == []
    assert codes(copy(src=src, predicate=predicate)) == ["NKI2115"]


def test_a_copy_keeps_the_dtype() -> None:
    assert codes(copy(src=tile((128, 4), dt.float16))) == ["NKI2116"]
    packed = tile((128, 4), dt.float8_e5m2_x4)
    assert codes(copy(src=packed, dst=packed)) == []
    assert codes(copy(src=0.0, dst=packed)) == ["NKI2121"]
    assert codes(copy(src="x")) == ["NKI2121"]


def test_sizes_of_a_copy() -> None:
    assert codes(copy(predicate=tile((128, 5), dt.uint8))) == ["NKI2102"]
    assert codes(copy(src=tile((64, 4), dt.bfloat16))) == ["NKI2101"]
