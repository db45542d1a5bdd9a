"""tensor_reduce and tensor_scalar_reduce: folds along the free dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from opennki.base.dtypes import DType, bfloat16, float32, int32, uint8
from opennki.ir import Inst, Read, Space, Tensor, View, problems
from opennki.isa.enums import AluOp, AxisList, ReduceCmd
from opennki.isa.reduce import TensorReduceOp, TensorScalarCacheReduce, axes_of, reduce_axes
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def fold(
    op: AluOp, values: Sequence[Any], axis: tuple[int, ...] = (1,), negate: bool = False
) -> list[list[float]]:
    """`values` (float32, partitions first) folded; the destination takes what is left."""
    data = np.array(values, np.float32)
    kept = data.shape[1 : axis[0]]
    inst = TensorReduceOp(tile(len(data), *kept, 1), op, tile(*data.shape), axis, negate)
    assert broken(inst) == []
    made: list[list[float]] = inst.sem(data).tolist()
    return made


@pytest.mark.parametrize(("op", "want"), [
    (AluOp.add, 11), (AluOp.subtract, -7), (AluOp.mult, 36), (AluOp.max, 6), (AluOp.min, 2),
    (AluOp.logical_and, 1), (AluOp.logical_or, 1), (AluOp.logical_xor, 1),
])  # fmt: skip
def test_each_operator_folds_a_row(op: AluOp, want: float):
    assert fold(op, [[2, 3, 6]]) == [[want]]


def test_the_last_dimensions_are_folded_and_the_others_kept():
    data = np.arange(16).reshape(2, 2, 2, 2)
    assert fold(AluOp.add, data, (3,)) == [[1, 5, 9, 13], [17, 21, 25, 29]]
    assert fold(AluOp.add, data, (2, 3)) == [[6, 22], [38, 54]]
    assert fold(AluOp.add, data, (1, 2, 3)) == [[28], [92]]


def test_negate_turns_the_result_around():
    assert fold(AluOp.max, [[2, 3, 6], [-1, -2, -3]], negate=True) == [[-6], [1]]


def test_a_nan_survives_a_sum():
    assert np.isnan(fold(AluOp.add, [[1, np.nan, 2]])).all()


def test_bitvec_operators_fold_integer_bits():
    inst = TensorReduceOp(tile(1, 1, dtype=int32), AluOp.bitwise_and, tile(1, 3, dtype=int32), (1,))
    assert broken(inst) == []
    assert inst.read_mode() is Read.RAW
    assert inst.sem(np.array([[-1, 0x7F0F, 0xFF]], np.int32)).tolist() == [[0x0F]]


def test_bitvec_operators_need_integers_and_cannot_negate():
    def bits(dst: DType, data: DType, negate: bool = False) -> list[str]:
        return broken(TensorReduceOp(
            tile(1, 1, dtype=dst), AluOp.bitwise_or, tile(1, 3, dtype=data), (1,), negate
        ))  # fmt: skip

    assert bits(int32, int32) == []
    assert bits(int32, uint8) == ["NKI2116"]  # bits are not cast
    assert bits(float32, uint8) == ["NKI2119"]
    assert bits(int32, float32) == ["NKI2119"]
    assert bits(int32, int32, negate=True) == ["NKI2405"]


@pytest.mark.parametrize("op", [AluOp.divide, AluOp.is_gt, AluOp.abs, AluOp.average, AluOp.mod_int])
def test_only_legal_reductions_are_accepted(op: AluOp):
    assert broken(TensorReduceOp(tile(4, 1), op, tile(4, 8), (1,))) == ["NKI2117"]


@pytest.mark.parametrize(("axis", "code"), [
    ((), "NKI2124"), ((4,), "NKI2403"), ((3, 3), "NKI2403"), ((0, 1, 2, 3), "NKI2401"),
    ((2,), "NKI2402"), ((1, 3), "NKI2402"), ((1, 2), "NKI2402"),
])  # fmt: skip
def test_axes_are_the_last_dimensions_without_the_partitions(axis: tuple[int, ...], code: str):
    data = tile(4, 2, 3, 5)
    assert broken(TensorReduceOp(tile(4, 1), AluOp.add, data, axis)) == [code]
    assert broken(TensorReduceOp(tile(4, 2), AluOp.add, data, (2, 3))) == []


@pytest.mark.parametrize("keepdims", [False, True])
def test_the_destination_has_what_is_left(keepdims: bool):
    data = tile(4, 2, 3)
    for dst in (tile(4, 2), tile(4, 2, 1), tile(4, 1, 2)):
        assert broken(TensorReduceOp(dst, AluOp.add, data, (2,), keepdims=keepdims)) == []
    wrong = TensorReduceOp(tile(4, 3), AluOp.add, data, (2,), keepdims=keepdims)
    assert broken(wrong) == ["NKI2404"]


def test_partitions_must_agree():
    assert broken(TensorReduceOp(tile(5, 1), AluOp.add, tile(4, 8), (1,))) == ["NKI2101"]


@pytest.mark.parametrize(("axis", "ndim", "want"), [
    (1, 2, (1,)), (-1, 4, (3,)), ([2, 1], 3, (1, 2)), ((-1, 2), 4, (2, 3)), ((), 3, ()),
    (7, 3, (7,)), (-4, 3, (-4,)), ([1, 1], 2, (1, 1)),
])  # fmt: skip
def test_axes_are_normalised(axis: int | Sequence[int], ndim: int, want: tuple[int, ...]):
    assert reduce_axes(axis, ndim) == want


@pytest.mark.parametrize(("shape", "axis", "walked", "letters"), [
    ((4, 8), (1,), (4, 8), AxisList.X),
    ((4, 2, 3, 5), (2, 3), (4, 2, 3, 5), AxisList.XY),
    ((4, 2, 3, 5, 7), (1, 2, 3, 4), (4, 2, 3, 5, 7), AxisList.XYZW),
    ((4, 2, 1, 5, 1), (2, 3, 4), (4, 2, 5), AxisList.X),
    ((4, 2, 1, 1), (2, 3), (4, 2, 1), AxisList.X),
    ((4, 1, 2, 1, 3, 1, 5, 1, 7), (1, 2, 3, 4, 5, 6, 7, 8), (4, 2, 3, 5, 7), AxisList.XYZW),
])  # fmt: skip
def test_bir_counts_the_folded_dimensions(
    shape: tuple[int, ...], axis: tuple[int, ...], walked: tuple[int, ...], letters: AxisList
):
    inst = TensorReduceOp(tile(4, 1), AluOp.add, tile(*shape), axis)
    view, found = inst.walk
    assert (view.shape, found) == (walked, letters)
    assert view.size == inst.data.size
    data = np.arange(view.size, dtype=np.float32)
    again = TensorReduceOp(inst.dst, AluOp.max, view, axes_of(found, len(walked)))
    whole = TensorReduceOp(inst.dst, AluOp.max, inst.data, axis)
    assert again.sem(data.reshape(walked)).tolist() == whole.sem(data.reshape(shape)).tolist()


def test_bir_keeps_the_strides_of_what_it_walks():
    storage = Tensor("t", (4, 6, 5), float32, Space.sbuf)
    view = View(storage, 0, (4, 3, 1, 5), (30, 10, 7, 1), float32)
    assert TensorReduceOp(tile(4, 1), AluOp.add, view, (1, 2, 3)).walk[0].strides == (30, 10, 1)


# --- tensor_scalar_reduce -------------------------------------------------------------------------

DATA = np.array([[1, 2, 3], [-4, 0, 4]], np.float32)
HELD = np.array([[10], [20]], np.float32)


def scalar_reduce(op: AluOp = AluOp.add, **more: Any) -> TensorScalarCacheReduce:
    """``data + 1`` folded with `op`, into a (2, 1) tile."""
    more = {"reduce_res": tile(2, 1), **more}
    return TensorScalarCacheReduce(tile(2, 3), tile(2, 3), AluOp.add, 1.0, op, **more)


@pytest.mark.parametrize(("op", "want"), [
    (AluOp.add, [[9], [3]]), (AluOp.mult, [[24], [-15]]), (AluOp.max, [[4], [5]]),
    (AluOp.min, [[2], [-3]]),
])  # fmt: skip
def test_reset_reduce_starts_with_the_identity(op: AluOp, want: list[list[float]]):
    inst = scalar_reduce(op)
    assert broken(inst) == []
    dst, result, registers = inst.sem(DATA, np.float32(1), None, HELD)
    assert dst.tolist() == [[2, 3, 4], [-3, 1, 5]]
    assert result.tolist() == registers.tolist() == want
    assert result.shape == (2, 1)


def test_reduce_goes_on_from_the_registers():
    inst = scalar_reduce(reduce_cmd=ReduceCmd.Accumulate)
    assert broken(inst) == []
    _, result, registers = inst.sem(DATA, np.float32(1), None, HELD)
    assert result.tolist() == registers.tolist() == [[19], [23]]


@pytest.mark.parametrize(("start", "want"), [
    (np.float32(100), [[109], [103]]),
    (np.array([[100], [200]], np.float32), [[109], [203]]),
])  # fmt: skip
def test_load_reduce_starts_with_reduce_init(start: np.ndarray, want: list[list[float]]):
    inst = scalar_reduce(reduce_cmd=ReduceCmd.LoadAccumulate, reduce_init=100.0)
    assert broken(inst) == []
    _, result, registers = inst.sem(DATA, np.float32(1), start, HELD)
    assert result.tolist() == registers.tolist() == want
    assert registers.dtype == np.float32


def test_negation_does_not_reach_the_registers():
    inst = scalar_reduce(reduce_res_negate=True)
    _, result, registers = inst.sem(DATA, np.float32(1), None, HELD)
    assert result.tolist() == [[-9], [-3]]
    assert registers.tolist() == [[9], [3]]


def test_the_result_may_stay_in_the_registers():
    inst = scalar_reduce(reduce_res=None)
    assert broken(inst) == []
    assert [v.shape for v in inst.writes()] == [(2, 3)]


def test_the_operand_may_be_a_vector_of_float32():
    def operand(value: object, op: AluOp = AluOp.add) -> list[str]:
        return broken(
            TensorScalarCacheReduce(tile(2, 3), tile(2, 3), op, value, AluOp.add, tile(2, 1))
        )

    assert operand(tile(2, 1)) == []
    assert operand(tile(2, 3)) == ["NKI2107"]
    assert operand(tile(2, 1, dtype=bfloat16)) == ["NKI2106"]
    assert operand(None) == ["NKI2122"]
    assert operand(None, AluOp.abs) == operand(0, AluOp.abs) == []
    assert operand(1.0, AluOp.abs) == ["NKI2124"]


def test_op0_is_arithmetic_and_reduce_op_one_of_four():
    bits = TensorScalarCacheReduce(tile(2, 3), tile(2, 3), AluOp.bitwise_or, 1, AluOp.add)
    assert broken(bits) == ["NKI2117"]
    assert broken(scalar_reduce(AluOp.subtract)) == ["NKI2117"]
    assert broken(scalar_reduce(AluOp.min)) == []


def test_reversing_is_not_supported_yet():
    assert broken(scalar_reduce(reverse0=True)) == ["NKI2124"]
    assert broken(scalar_reduce(reverse0=False)) == []


@pytest.mark.parametrize("command", [ReduceCmd.Idle, ReduceCmd.Zero])
def test_the_registers_are_always_used(command: ReduceCmd):
    assert broken(scalar_reduce(reduce_cmd=command)) == ["NKI2124"]


def test_reduce_init_comes_with_load_reduce_only():
    load = ReduceCmd.LoadAccumulate
    assert broken(scalar_reduce(reduce_cmd=load)) == ["NKI2122"]
    assert broken(scalar_reduce(reduce_cmd=load, reduce_init=tile(2, 1))) == []
    assert broken(scalar_reduce(reduce_init=0.0)) == ["NKI2123"]
    assert broken(scalar_reduce(reduce_cmd=ReduceCmd.Accumulate, reduce_init=0.0)) == ["NKI2123"]


def test_reduce_init_is_float32():
    init = tile(2, 1, dtype=bfloat16)
    assert broken(scalar_reduce(reduce_cmd=ReduceCmd.LoadAccumulate, reduce_init=init)) == [
        "NKI2106"
    ]


def test_reduce_res_is_one_column():
    assert broken(scalar_reduce(reduce_res=tile(2, 2))) == ["NKI2107"]
    assert broken(scalar_reduce(reduce_res=tile(2, 1, space=Space.psum))) == []
