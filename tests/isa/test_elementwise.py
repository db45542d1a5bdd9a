"""Element-wise arithmetic: engines, operand rules, and the numbers that come out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki.base.dtypes import DType, bfloat16, float32, int8, int32, uint8, uint32
from opennki.ir import Inst, Read, Space, Tensor, View, problems
from opennki.isa.elementwise import (
    ReciprocalOp,
    ScalarTensorTensorOp,
    TensorScalarPtrOp,
    TensorTensorOp,
)
from opennki.isa.enums import AluOp, Engine
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)
Y = np.array([[2, 2, 2], [4, 4, 4]], np.float32)


# --- tensor_tensor --------------------------------------------------------------------------------


def binary(op: AluOp, dtype: DType = float32, engine: Engine | None = None, **spaces: Space) -> Any:
    tiles = (tile(2, 3, dtype=dtype, space=spaces.get(n, Space.sbuf)) for n in ("dst", "a", "b"))
    inst = TensorTensorOp(*tiles, op, engine=engine)
    if engine is None:
        inst.engine = inst.default_engine(target("trn2"))
    return inst


def test_two_tiles_are_combined_element_by_element():
    inst = binary(AluOp.subtract)
    assert broken(inst) == []
    assert inst.sem(X, Y).tolist() == [[-1, -4, 1], [0, 1, -10]]


def test_comparisons_give_one_and_zero():
    assert binary(AluOp.is_gt).sem(X, Y).tolist() == [[0, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("dtype", [int32, uint32])
def test_32_bit_integers_are_exact_on_gpsimd(dtype: DType):
    inst = binary(AluOp.add, dtype)
    assert inst.engine is Engine.POOL
    assert inst.read_mode() is Read.RAW
    assert broken(inst) == []
    a = np.array([[2**24 + 1, np.iinfo(dtype.np).max]], dtype.np)
    made = inst.sem(a, np.array([[1, 1]], dtype.np))
    assert made.dtype == dtype.np
    assert made.tolist() == [[2**24 + 2, np.iinfo(dtype.np).min]]


def test_32_bit_integers_on_the_vector_engine_are_float32_with_a_warning():
    inst = binary(AluOp.add, int32, Engine.DVE)
    assert inst.read_mode() is Read.F32
    assert broken(inst) == ["NKI2125"]
    assert broken(binary(AluOp.bitwise_and, int32, Engine.DVE)) == []


def test_psum_keeps_integers_on_the_vector_engine():
    inst = binary(AluOp.add, int32, a=Space.psum)
    assert inst.engine is Engine.DVE
    assert broken(inst) == ["NKI2125"]


def test_mixed_signs_wrap_to_the_first_operand():
    dst = tile(1, 1, dtype=uint32)
    inst = TensorTensorOp(
        dst, dst, tile(1, 1, dtype=int32), AluOp.add, engine=Engine.POOL
    )  # fmt: skip
    made = inst.sem(np.array([[1]], np.uint32), np.array([[-2]], np.int32))
    assert made.tolist() == [[2**32 - 1]]


def test_bitvec_operators_see_bits():
    inst = binary(AluOp.bitwise_xor, uint8)
    assert (inst.engine, inst.read_mode()) == (Engine.DVE, Read.RAW)
    assert broken(inst) == []
    a, b = np.array([[0xF0]], np.uint8), np.array([[0xFF]], np.uint8)
    assert inst.sem(a, b).tolist() == [[0x0F]]


def test_bitvec_operators_need_integers():
    assert broken(binary(AluOp.bitwise_xor, float32)) == ["NKI2119"] * 3


def test_power_runs_on_gpsimd_without_psum():
    assert broken(binary(AluOp.pow)) == []
    assert broken(binary(AluOp.pow, a=Space.psum)) == ["NKI2114"]
    assert broken(binary(AluOp.pow, engine=Engine.DVE)) == ["NKI2118"]
    assert binary(AluOp.pow).sem(X, Y)[0].tolist() == [1, 4, 9]


def test_both_inputs_cannot_be_in_psum():
    assert broken(binary(AluOp.add, a=Space.psum, b=Space.psum)) == ["NKI2115"]
    assert broken(binary(AluOp.add, a=Space.psum, dst=Space.psum)) == []


@pytest.mark.parametrize("op", [AluOp.abs, AluOp.bypass, AluOp.mod_int])
def test_the_operator_has_two_inputs(op: AluOp):
    assert broken(binary(op)) == ["NKI2117"]


def test_abs_max_starts_with_trn3():
    assert broken(binary(AluOp.abs_max), "trn2") == ["NKI2118"]
    assert broken(binary(AluOp.abs_max), "trn3") == []


# --- tensor_scalar --------------------------------------------------------------------------------


def scalar(
    op0: AluOp, operand0: object, *rest: Any, engine: Engine | None = None, **more: Any
) -> Any:
    dtype = more.pop("dtype", float32)
    dst, data = tile(2, 3, dtype=dtype), tile(2, 3, dtype=dtype)
    inst = TensorScalarPtrOp(dst, data, op0, operand0, *rest, engine=engine, **more)
    if engine is None:
        inst.engine = inst.default_engine(target("trn2"))
    return inst


def test_two_operators_are_chained():
    inst = scalar(AluOp.mult, 2.0, False, AluOp.add, 1.0)
    assert broken(inst) == []
    made = inst.sem(X, np.float32(2), np.float32(1))
    assert made.tolist() == [[3, -3, 7], [9, 11, -11]]
    assert made.dtype == np.float32


def test_reversal_swaps_the_inputs_of_an_operator():
    inst = scalar(AluOp.subtract, 1.0, True, AluOp.divide, 12.0, True)
    made = inst.sem(X, np.float32(1), np.float32(12))
    assert made.tolist() == [[np.inf, 4, -6], [-4, -3, np.float32(12) / np.float32(7)]]


def test_a_vector_gives_each_partition_its_own_scalar():
    inst = scalar(AluOp.add, tile(2, 1))
    assert broken(inst) == []
    column = np.array([[10], [20]], np.float32)
    assert inst.sem(X, column, None).tolist() == [[11, 8, 13], [24, 25, 14]]


def test_vectors_have_one_element_per_partition():
    assert broken(scalar(AluOp.add, tile(2, 3))) == ["NKI2107"]
    assert broken(scalar(AluOp.add, 1.0, False, AluOp.mult, tile(2, 3))) == ["NKI2107"]
    assert broken(scalar(AluOp.add, 1.0, False, AluOp.mult, tile(2, 1))) == []


def test_vectors_of_arithmetic_operators_are_float32():
    assert broken(scalar(AluOp.add, tile(2, 1, dtype=bfloat16))) == ["NKI2106"]
    assert broken(scalar(AluOp.add, tile(2, 1, dtype=int32))) == ["NKI2106"]


def test_vectors_of_bitvec_operators_are_integers():
    assert broken(scalar(AluOp.bitwise_or, tile(2, 1), dtype=int32)) == ["NKI2119"]
    assert broken(scalar(AluOp.bitwise_or, tile(2, 1, dtype=uint8), dtype=int32)) == []
    assert broken(scalar(AluOp.bitwise_or, 1.5, dtype=int32)) == ["NKI2119"]
    assert broken(scalar(AluOp.bitwise_or, 1.0, dtype=int32)) == []


@pytest.mark.parametrize(("dtype", "bits"), [(uint8, 0x81), (int8, 0x81 - 256)])
def test_bitvec_numbers_take_the_width_of_the_data(dtype: DType, bits: int):
    inst = scalar(AluOp.bitwise_and, 0xF0, False, AluOp.logical_shift_right, 4, dtype=dtype)
    assert broken(inst) == []
    assert inst.read_mode() is Read.RAW
    made = inst.sem(np.array([[bits]], dtype.np), 0xF0, 4)
    assert made.dtype == dtype.np
    assert made.tolist() == [[8]]


def test_bitvec_numbers_may_be_negative():
    inst = scalar(AluOp.bitwise_xor, -1, dtype=uint32)
    assert inst.sem(np.array([[0xFFFF0000]], np.uint32), -1, None).tolist() == [[0xFFFF]]


def test_bitvec_operators_run_on_the_vector_engine():
    assert broken(scalar(AluOp.bitwise_or, 1, dtype=int32, engine=Engine.POOL)) == ["NKI2113"]
    assert broken(scalar(AluOp.bitwise_or, 1, dtype=int32, engine=Engine.DVE)) == []


def test_bitvec_operators_need_integer_tiles():
    assert broken(scalar(AluOp.bitwise_or, 1)) == ["NKI2119", "NKI2119"]


def test_operators_are_of_one_kind():
    mixed = scalar(AluOp.bitwise_or, 1, False, AluOp.add, 1.0, dtype=int32)
    assert broken(mixed) == ["NKI2120"]
    assert broken(scalar(AluOp.bitwise_or, 1, False, AluOp.bitwise_not, None, dtype=int32)) == []


def test_unary_operators_take_no_operand():
    assert broken(scalar(AluOp.abs, None)) == broken(scalar(AluOp.abs, 0.0)) == []
    assert broken(scalar(AluOp.abs, 1.0)) == ["NKI2124"]
    assert broken(scalar(AluOp.abs, tile(2, 1))) == ["NKI2124"]
    assert scalar(AluOp.abs, None).sem(X, None, None).tolist() == np.abs(X).tolist()


def test_binary_operators_need_their_operand():
    assert broken(scalar(AluOp.add, None)) == ["NKI2122"]
    assert broken(scalar(AluOp.add, 1.0, False, AluOp.mult)) == ["NKI2122"]
    assert broken(scalar(AluOp.add, 1.0, operand1=2.0)) == ["NKI2123"]


def test_the_scalar_engine_knows_three_combinations_from_trn2_on():
    on_act = {"engine": Engine.ACT}
    for combination in (
        (AluOp.mult, 2.0, False, AluOp.add, 1.0), (AluOp.mult, 2.0), (AluOp.add, 2.0),
    ):  # fmt: skip
        assert broken(scalar(*combination, **on_act)) == []
        assert "NKI2113" in broken(scalar(*combination, **on_act), "trn1")
    assert broken(scalar(AluOp.add, 2.0, False, AluOp.mult, 1.0, **on_act)) == ["NKI2113"]
    assert "NKI2113" in broken(scalar(AluOp.subtract, 2.0, **on_act))


def test_gpsimd_runs_rsqrt_and_power():
    inst = scalar(AluOp.rsqrt, 0.0)
    assert inst.engine is Engine.POOL
    assert broken(inst) == []
    assert inst.sem(np.array([[4, 16]], np.float32), np.float32(0), None).tolist() == [[0.5, 0.25]]
    assert broken(scalar(AluOp.add, 1.0, engine=Engine.POOL)) == ["NKI2113"]


def test_the_second_operator_takes_part_in_the_choice_of_engine():
    inst = scalar(AluOp.add, 1.0, False, AluOp.rsqrt, None)
    assert inst.engine is Engine.POOL
    assert broken(inst) == []
    assert scalar(AluOp.add, 1.0, False, AluOp.mult, 2.0).engine is Engine.DVE


@pytest.mark.parametrize("form", ["is_scalar_tensor_tensor", "is_tensor_tensor_scan"])
def test_the_forms_with_two_tiles_need_a_second_tile_like_the_first(form: str):
    def two(operand1: object) -> list[str]:
        return broken(scalar(AluOp.add, 1.0, False, AluOp.mult, operand1, **{form: True}))

    assert two(tile(2, 3, dtype=bfloat16)) == []
    assert two(tile(2, 1)) == ["NKI2102"]
    assert two(2.0) == ["NKI2121"]


# --- scalar_tensor_tensor, reciprocal -------------------------------------------------------------


def three(op0: AluOp, op1: AluOp, *reverse: bool, **more: Any) -> ScalarTensorTensorOp:
    spaces = more.get("spaces", (Space.sbuf, Space.sbuf))
    data, other = (tile(2, 3, space=space) for space in spaces)
    operand0 = more.get("operand0", 2.0)
    return ScalarTensorTensorOp(tile(2, 3), data, op0, operand0, op1, other, *reverse)


def test_a_scalar_and_a_tile_are_applied_in_turn():
    inst = three(AluOp.mult, AluOp.add)
    assert broken(inst) == []
    assert inst.sem(X, np.float32(2), Y).tolist() == [[4, -2, 8], [12, 14, -8]]
    swapped = three(AluOp.subtract, AluOp.subtract, True, True)
    assert swapped.sem(X, np.float32(2), Y).tolist() == [[1, -2, 3], [6, 7, -4]]


def test_scalar_tensor_tensor_equals_its_bir_form():
    form = scalar(AluOp.mult, 2.0, False, AluOp.add, tile(2, 3), is_scalar_tensor_tensor=True)
    want = three(AluOp.mult, AluOp.add).sem(X, np.float32(2), Y)
    assert form.sem(X, np.float32(2), Y).tolist() == want.tolist()


def test_scalar_tensor_tensor_is_arithmetic():
    assert broken(three(AluOp.bitwise_or, AluOp.add)) == ["NKI2117"]
    assert broken(three(AluOp.add, AluOp.abs)) == ["NKI2117"]


def test_scalar_tensor_tensor_reads_one_tile_from_psum():
    assert broken(three(AluOp.add, AluOp.add, spaces=(Space.psum, Space.psum))) == ["NKI2115"]
    assert broken(three(AluOp.add, AluOp.add, spaces=(Space.psum, Space.sbuf))) == []


def test_the_scalar_of_scalar_tensor_tensor_may_be_a_vector_of_any_dtype():
    assert broken(three(AluOp.add, AluOp.add, operand0=tile(2, 1, dtype=bfloat16))) == []
    assert broken(three(AluOp.add, AluOp.add, operand0=tile(2, 3))) == ["NKI2107"]


def test_reciprocal_is_one_over_each_element():
    inst = ReciprocalOp(tile(2, 3), tile(2, 3, space=Space.psum))
    assert broken(inst) == []
    data = np.array([[2, -4, 0], [np.inf, 3, -0.0]], np.float32)
    made = inst.sem(data)
    assert made.dtype == np.float32
    assert made.tolist() == [
        [0.5, -0.25, np.inf],
        [0, float(np.float32(1) / np.float32(3)), -np.inf],
    ]


def test_reciprocal_keeps_the_size():
    assert broken(ReciprocalOp(tile(2, 3), tile(2, 4))) == ["NKI2102"]
