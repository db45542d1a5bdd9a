"""dma_copy: what may be moved where, and who writes the descriptors."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base.dtypes import (
    DType,
    bfloat16,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float16,
    float32,
    int64,
)
from opennki.ir import Inst, Read, Space, Tensor, View, problems
from opennki.isa.dma import DMACopyOp
from opennki.isa.enums import DgeMode, Engine, OobMode
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def hbm(*shape: int, dtype: DType = float32) -> View:
    return tile(*shape, dtype=dtype, space=Space.shared_hbm)


def test_a_copy_hands_on_the_elements_in_order():
    inst = DMACopyOp(tile(2, 6), hbm(3, 4))
    src = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert broken(inst) == []
    assert inst.sem(src).reshape(inst.dst.shape).tolist() == [
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10, 11],
    ]


def test_equal_dtypes_move_bits_and_others_go_through_float32():
    assert DMACopyOp(hbm(4, 4, dtype=int64), hbm(4, 4, dtype=int64)).read_mode() is Read.RAW
    assert DMACopyOp(hbm(4, 4, dtype=bfloat16), hbm(4, 4)).read_mode() is Read.F32


@pytest.mark.parametrize("src", [(2, 3, 4, 5, 6), (720,), (720, 1)])
def test_any_rank_may_be_copied(src: tuple[int, ...]):
    assert broken(DMACopyOp(hbm(6, 120), hbm(*src))) == []


@pytest.mark.parametrize(("mode", "engine"), [
    (DgeMode.unknown, Engine.SP), (DgeMode.none, Engine.SP), (DgeMode.hwdge, Engine.SP),
    (DgeMode.swdge, Engine.POOL),
])  # fmt: skip
def test_the_default_engine_is_the_one_that_makes_the_descriptors(mode: DgeMode, engine: Engine):
    inst = DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=mode)
    assert inst.default_engine(target("trn2")) is engine
    assert broken(inst) == []


def test_psum_is_out_of_reach():
    psum = tile(8, 8, space=Space.psum)
    assert broken(DMACopyOp(psum, hbm(8, 8))) == ["NKI2301"]
    assert broken(DMACopyOp(hbm(8, 8), psum)) == ["NKI2301"]
    assert broken(DMACopyOp(tile(8, 8), tile(8, 8))) == []


def test_element_counts_must_be_equal():
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 9))) == ["NKI2126"]
    assert broken(DMACopyOp(tile(8, 9), hbm(9, 8))) == []


def test_hardware_descriptors_do_not_convert():
    def copy(mode: DgeMode, dtype: DType) -> list[str]:
        return broken(DMACopyOp(tile(8, 8, dtype=dtype), hbm(8, 8), dge_mode=mode))

    assert copy(DgeMode.hwdge, bfloat16) == ["NKI2302"]
    assert copy(DgeMode.hwdge, float32) == []
    assert copy(DgeMode.swdge, bfloat16) == []


def test_hardware_descriptors_start_with_trn2():
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.hwdge), "trn1") == ["NKI2108"]
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.hwdge), "trn2") == []
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.swdge), "trn1") == []


@pytest.mark.parametrize("mode", [DgeMode.none, DgeMode.unknown, DgeMode.swdge])
def test_an_engine_is_named_for_hardware_descriptors_only(mode: DgeMode):
    named = {"engine": Engine.SP, "engine_given": True}
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=mode, **named)) == ["NKI2303"]
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.hwdge, **named)) == []


def test_each_kind_of_descriptor_has_its_engines():
    def copy(mode: DgeMode, engine: Engine) -> list[str]:
        return broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=mode, engine=engine))

    assert copy(DgeMode.hwdge, Engine.ACT) == []
    assert copy(DgeMode.hwdge, Engine.POOL) == ["NKI2113"]
    assert copy(DgeMode.swdge, Engine.POOL) == []
    assert copy(DgeMode.swdge, Engine.ACT) == ["NKI2113"]
    assert copy(DgeMode.unknown, Engine.DVE) == ["NKI2113"]


def test_a_direct_access_has_no_index_to_skip():
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), oob_mode=OobMode.skip)) == ["NKI2304"]
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), oob_mode=OobMode.error)) == []


def test_priority_starts_with_trn3_and_goes_from_0_to_3():
    def copy(priority: int | None, on: str) -> list[str]:
        return broken(DMACopyOp(tile(8, 8), hbm(8, 8), priority=priority), on)

    assert copy(0, "trn2") == ["NKI2108"]
    assert copy(None, "trn2") == []
    assert copy(0, "trn3") == copy(3, "trn3") == []
    assert copy(4, "trn3") == copy(-1, "trn3") == ["NKI2124"]


def test_packed_dtypes_are_not_converted():
    def copy(dst: DType, src: DType) -> list[str]:
        return broken(DMACopyOp(tile(8, 8, dtype=dst), hbm(8, 8, dtype=src)), "trn3")

    assert copy(float8_e4m3fn_x4, float8_e4m3fn_x4) == []
    assert copy(float8_e4m3fn_x4, float8_e5m2_x4) == ["NKI2116"]
    assert copy(float16, float8_e4m3fn_x4) == ["NKI2116"]


def test_a_tile_may_start_at_any_partition():
    storage = Tensor("t", (128, 4), float32, Space.sbuf)
    window = View(storage, 5 * 4, (10, 4), (4, 1), float32)
    assert broken(DMACopyOp(window, hbm(10, 4))) == []
