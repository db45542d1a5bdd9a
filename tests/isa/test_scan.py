"""tensor_tensor_scan: recurrences along the free dimension."""

from __future__ import annotations

import numpy as np

from opennki.base.dtypes import DType, bfloat16, float32
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.elementwise import TensorScalarPtrOp
from opennki.isa.enums import AluOp
from opennki.isa.scan import TensorTensorScanOp
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


MULT, ADD, SUB = AluOp.mult, AluOp.add, AluOp.subtract
A = np.array([[1, 2, 3], [0.5, 0.5, 0.5]], np.float32)
B = np.array([[10, 20, 30], [1, 1, 1]], np.float32)


def scan_op(op0: AluOp = MULT, op1: AluOp = ADD, *reverse: bool) -> TensorTensorScanOp:
    return TensorTensorScanOp(tile(2, 3), tile(2, 3), tile(2, 3), 1.0, op0, op1, *reverse)


def test_each_element_builds_on_the_one_before():
    inst = scan_op()
    assert broken(inst) == []
    assert inst.sem(A, B, np.float32(1)).tolist() == [[11, 42, 156], [1.5, 1.75, 1.875]]


def test_the_initial_value_may_differ_by_partition():
    made = scan_op().sem(A, B, np.array([[0], [2]], np.float32))
    assert made.tolist() == [[10, 40, 150], [2, 2, 2]]


def test_one_column_uses_the_initial_value_only():
    assert scan_op().sem(A[:, :1], B[:, :1], np.float32(1)).tolist() == [[11], [1.5]]


def test_reversal_swaps_the_inputs_of_an_operator():
    one = np.float32(1)
    assert scan_op(SUB, ADD).sem(A, B, one)[0].tolist() == [10, 12, 21]
    assert scan_op(SUB, ADD, True).sem(A, B, one)[0].tolist() == [10, 28, 55]
    assert scan_op(MULT, SUB).sem(A, B, one)[0].tolist() == [-9, -38, -144]
    assert scan_op(MULT, SUB, False, True).sem(A, B, one)[0].tolist() == [9, 2, 24]


def test_the_bir_form_computes_the_same():
    form = TensorScalarPtrOp(
        tile(2, 3), tile(2, 3), SUB, 1.0, True, MULT, tile(2, 3), False, True, True
    )
    assert broken(form) == []
    want = scan_op(SUB, MULT, True).sem(A, B, np.float32(1))
    assert form.sem(A, np.float32(1), B).tolist() == want.tolist()


def test_operators_are_binary_and_arithmetic():
    assert broken(scan_op(MULT, AluOp.max)) == []
    for op in (AluOp.bitwise_and, AluOp.abs, AluOp.bypass):
        assert broken(scan_op(op, ADD)) == ["NKI2117"]
        assert broken(scan_op(MULT, op)) == ["NKI2117"]


def test_one_input_at_most_is_in_psum():
    def scan_from(space0: Space, space1: Space) -> list[str]:
        return broken(TensorTensorScanOp(
            tile(2, 3), tile(2, 3, space=space0), tile(2, 3, space=space1), 1.0, MULT, ADD
        ))  # fmt: skip

    assert scan_from(Space.psum, Space.psum) == ["NKI2115"]
    assert scan_from(Space.psum, Space.sbuf) == scan_from(Space.sbuf, Space.psum) == []


def test_the_initial_value_is_one_per_partition_of_any_dtype():
    def start(initial: View) -> list[str]:
        return broken(TensorTensorScanOp(tile(2, 3), tile(2, 3), tile(2, 3), initial, MULT, ADD))

    assert start(tile(2, 1, dtype=bfloat16)) == []
    assert start(tile(2, 3)) == ["NKI2107"]
    assert start(tile(3, 1)) == ["NKI2101"]
