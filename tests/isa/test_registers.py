"""register_move, register_load and register_store: bits by hand, and each rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems, register
from opennki.isa.dma import DMACopyOp
from opennki.isa.enums import Engine
from opennki.isa.move import TensorCopyOp
from opennki.isa.registers import RegisterLoad, RegisterMove, RegisterStore
from opennki.penguin import Function, IRBuilder
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn2")
HELD = (dt.uint8, dt.int8, dt.uint16, dt.int16, dt.uint32, dt.int32, dt.float32)


def reg(name: str = "r") -> View:
    return View.whole(register(name))


def one(dtype: DType, space: Space = Space.sbuf, shape: tuple[int, ...] = (1, 1)) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst) -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.prepare(T)
    inst.engine = inst.default_engine(T)
    return [found.code.id for found in problems(inst, T)]


def loaded(value: Any) -> int:
    """What a register holds after loading an element."""
    return int(RegisterLoad(reg(), one(dt.int32)).sem(np.array([[value]])).item())


def stored(held: int, dtype: DType) -> np.ndarray:
    """The element that a register with these bits becomes."""
    return RegisterStore(one(dtype), reg()).sem(np.array([[held]], np.int32))


@pytest.mark.parametrize(
    ("element", "held"),
    [
        (np.int32(-7), -7),
        (np.uint32(2**32 - 1), -1),
        (np.uint32(2**31), -(2**31)),
        (np.int8(-1), -1),
        (np.int8(-128), -128),
        (np.uint8(255), 255),
        (np.int16(-2), -2),
        (np.uint16(65535), 65535),
        (np.float32(1.5), 0x3FC00000),
        (np.float32(-0.0), -(2**31)),
        (np.float32(np.inf), 0x7F800000),
    ],
)
def test_loads_extend_by_sign_or_zeros_and_keep_the_bits_of_floats(element, held):
    assert loaded(element) == held


def test_the_payload_of_a_nan_is_kept():
    bits = np.array([[0x7FC12345]], np.int32)
    assert RegisterLoad(reg(), one(dt.float32)).sem(bits.view(np.float32)).item() == 0x7FC12345
    assert stored(0x7FC12345, dt.float32).view(np.int32).item() == 0x7FC12345


@pytest.mark.parametrize(
    ("held", "dtype", "element"),
    [
        (-7, dt.int32, -7),
        (-1, dt.uint32, 2**32 - 1),
        (0x1234_5678, dt.uint16, 0x5678),
        (0x1234_9ABC, dt.int16, 0x9ABC - 0x10000),
        (300, dt.uint8, 44),
        (200, dt.int8, -56),
        (-1, dt.uint8, 255),
        (0x3FC00000, dt.float32, 1.5),
    ],
)
def test_stores_keep_the_lowest_bits(held, dtype, element):
    made = stored(held, dtype)
    assert (made.dtype, made.item()) == (dtype.np, element)


@pytest.mark.parametrize(
    ("number", "held"), [(5, 5), (-(2**31), -(2**31)), (2**31, -(2**31)), (2**32 - 1, -1)]
)
def test_numbers_are_32_bits_with_or_without_sign(number, held):
    move = RegisterMove(reg(), number)
    assert broken(move) == []
    assert move.sem(move.src).item() == held


def test_a_register_can_be_moved_to_another():
    move = RegisterMove(reg("a"), reg("b"))
    assert broken(move) == []
    assert move.sem(np.array([[-9]], np.int32)).item() == -9


@pytest.mark.parametrize("number", [2**32, -(2**31) - 1, 1.5, float("nan")])
def test_numbers_of_more_bits_and_fractions_are_refused(number):
    assert broken(RegisterMove(reg(), number)) == ["NKI2124"]


@pytest.mark.parametrize("dtype", HELD)
@pytest.mark.parametrize("space", [Space.sbuf, Space.private_hbm, Space.shared_hbm])
def test_elements_of_up_to_32_bits_pass_both_ways(dtype, space):
    assert broken(RegisterLoad(reg(), one(dtype, space))) == []
    assert broken(RegisterStore(one(dtype, space), reg())) == []


def test_an_element_may_be_all_that_a_tensor_in_hbm_has():
    assert broken(RegisterLoad(reg(), one(dt.int32, Space.private_hbm, (1,)))) == []


@pytest.mark.parametrize("dtype", [d for d in dt.ALL if d not in HELD])
def test_other_dtypes_are_refused(dtype):
    assert broken(RegisterLoad(reg(), one(dtype))) == ["NKI2106"]
    assert broken(RegisterStore(one(dtype), reg())) == ["NKI2106"]


def test_psum_is_out_of_reach():
    assert broken(RegisterLoad(reg(), one(dt.int32, Space.psum))) == ["NKI2105"]
    assert broken(RegisterStore(one(dt.int32, Space.psum), reg())) == ["NKI2105"]


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2, 2)])
def test_there_is_one_element(shape):
    for space in (Space.sbuf, Space.private_hbm):
        for inst in (
            RegisterLoad(reg(), one(dt.int32, space, shape)),
            RegisterStore(one(dt.int32, space, shape), reg()),
        ):
            assert set(broken(inst)) == {"NKI2107"}


def test_only_these_three_touch_registers():
    assert broken(RegisterMove(one(dt.int32), reg())) == ["NKI2105"]
    assert broken(RegisterLoad(one(dt.int32), reg())) == ["NKI2105", "NKI2105"]
    assert broken(TensorCopyOp(one(dt.int32), reg())) == ["NKI2105"]
    assert broken(DMACopyOp(one(dt.int32), reg())) == ["NKI2105"]


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize(
    ("element", "want"),
    [
        (np.int8(-3), -3),
        (np.uint8(253), 253),
        (np.uint16(40000), 40000),
        (np.uint32(2**32 - 5), -5),
        (np.float32(2.0), 0x40000000),
    ],
)
def test_registers_hold_what_was_loaded_at_every_level(level, element, want):
    source = Tensor("x", (1, 1), dt.dtype(element.dtype), Space.sbuf)
    function = program_of([RegisterLoad(reg(), View.whole(source), engine=Engine.ALL)], T)
    before = {"r.0.in": np.array([[9]], np.int32), "x.1.in": np.array([[element]])}
    assert run(function, before, level)["r.0.out"].item() == want


@pytest.mark.parametrize("level", RUNNERS)
def test_a_number_that_float32_does_not_hold_stays_itself(level):
    function = program_of([RegisterMove(reg(), 2**24 + 1, engine=Engine.ALL)], T)
    results = run(function, {"r.0.in": np.array([[9]], np.int32)}, level)
    assert results["r.0.out"].item() == 2**24 + 1


def test_every_sequencer_does_it():
    assert RegisterMove(reg(), 1).default_engine(T) is Engine.ALL


def test_the_builder_makes_a_plain_tensor_of_it():
    builder = IRBuilder(Function("f", T))
    view = builder.tensor(register("n"))
    assert (view.space, view.shape, view.dtype) == (Space.register, (1, 1), dt.int32)
