"""tensor_copy and device_print."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from opennki.base.dtypes import (
    DType,
    bfloat16,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float32,
    int8,
    int32,
    uint32,
)
from opennki.ir import Inst, Read, Space, Tensor, View, problems
from opennki.isa.enums import Engine
from opennki.isa.move import NeuronPrintInst, TensorCopyOp
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def copy(dst: DType = float32, src: DType = float32, engine: Engine | None = None) -> TensorCopyOp:
    return TensorCopyOp(tile(4, 6, dtype=dst), tile(4, 2, 3, dtype=src), engine=engine)


def test_a_copy_hands_on_what_it_reads():
    bits = np.array([[0x7FC1, 0x8000]], np.uint16).view(ml_dtypes.bfloat16)
    made = copy(bfloat16, bfloat16).sem(bits)
    assert made.view(np.uint16).tolist() == [[0x7FC1, 0x8000]]


def test_equal_dtypes_are_copied_bit_by_bit():
    assert copy(int32, int32).read_mode() is Read.RAW
    assert copy(int32, int8).read_mode() is Read.F32


def test_the_vector_engine_is_the_default():
    assert copy().default_engine(target("trn2")) is Engine.DVE


def test_the_shapes_agree_in_partitions_and_elements_per_partition():
    assert broken(copy()) == []
    assert broken(TensorCopyOp(tile(4, 6), tile(5, 6))) == ["NKI2101"]
    assert broken(TensorCopyOp(tile(4, 6), tile(4, 7))) == ["NKI2102"]
    assert broken(TensorCopyOp(tile(4, 6), tile(4, 6, space=Space.shared_hbm))) == ["NKI2105"]


def test_the_scalar_engine_copies_from_trn2_on():
    assert broken(copy(engine=Engine.ACT), "trn1") == ["NKI2113"]
    assert broken(copy(engine=Engine.ACT), "trn2") == []
    assert broken(copy(engine=Engine.POOL), "trn1") == []


def test_gpsimd_cannot_read_psum():
    psum = tile(4, 6, space=Space.psum)
    assert broken(TensorCopyOp(tile(4, 6), psum, engine=Engine.POOL)) == ["NKI2114"]
    assert broken(TensorCopyOp(tile(4, 6), psum)) == []


@pytest.mark.parametrize("src", [int32, uint32])
def test_converting_32_bit_integers_is_no_fault_by_itself(src: DType):
    assert broken(copy(float32, src, engine=Engine.DVE)) == []  # what is lost shows at run time
    assert broken(copy(src, src)) == []
    assert broken(copy(src, int8)) == []


def test_packed_dtypes_are_not_converted():
    assert broken(copy(float8_e4m3fn_x4, float8_e5m2_x4), "trn3") == ["NKI2116"]
    assert broken(copy(float8_e5m2_x4, float8_e5m2_x4), "trn3") == []


def test_printing_writes_nothing():
    inst = NeuronPrintInst(tile(4, 6, space=Space.shared_hbm), "x =")
    assert broken(inst) == []
    assert inst.sem(np.zeros((4, 6), np.float32)) is None
    assert list(inst.writes()) == []
    assert [v.shape for v in inst.reads()] == [(4, 6)]
