"""rng, rand2, dropout and the state of the generators: values, warnings, and each rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.enums import Engine
from opennki.isa.generator import Generator, seeded
from opennki.isa.rng import (
    DropoutMaskInst,
    Rand2Op,
    RandGetState,
    RandSetState,
    RngOp,
    SundaSetRandState,
)
from opennki.target import target

SBUF, PSUM = Space.sbuf, Space.psum
DVE, POOL = Engine.DVE, Engine.POOL
TARGETS = ("trn1", "trn2", "trn3")


def tile(shape: tuple[int, ...], dtype: DType = dt.float32, space: Space = SBUF) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def codes(inst: Inst, on: str = "trn3") -> list[str]:
    """Codes of what is wrong with `inst`, after the target has chosen its generator."""
    inst.prepare(target(on))
    return [p.code.id for p in problems(inst, target(on))]


def rng_of(dtype: DType = dt.uint32, space: Space = SBUF, engine: Engine = DVE) -> RngOp:
    return RngOp(dst=tile((128, 4), dtype, space), engine=engine)


def rand2(**more: Any) -> Rand2Op:
    return Rand2Op(**({"dst": tile((128, 4)), "min": 0.0, "max": 1.0, "engine": DVE} | more))


def dropout(dtype: DType = dt.float32, **more: Any) -> DropoutMaskInst:
    fields = {"dst": tile((128, 4), dtype), "data": tile((128, 4), dtype), "prob": 0.5}
    return DropoutMaskInst(**(fields | {"engine": DVE} | more))


def seed_of(shape: tuple[int, ...] = (1, 1), dtype: DType = dt.int32, space: Space = SBUF) -> Inst:
    return SundaSetRandState(src_seeds=tile(shape, dtype, space), engine=DVE)


def words(*rows: list[int]) -> np.ndarray[Any, np.dtype[np.uint32]]:
    return np.array(rows, np.uint32)


ONE = words([1, 0, 0, 0, 0, 0])
"""An XORWOW state after which 362440 and 724925 are drawn: 0x587C8 and 0xB0FBD."""


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "want"),
    [
        (dt.uint32, [362440, 724925]), (dt.int32, [362440, 724925]),
        (dt.uint16, [0x87C8, 0x0FBD]), (dt.int16, [0x87C8 - 2**16, 0x0FBD]),
        (dt.uint8, [0xC8, 0xBD]), (dt.int8, [0xC8 - 2**8, 0xBD - 2**8]),
    ],
)  # fmt: skip
def test_rng_keeps_the_lowest_bits(dtype: DType, want: list[int]) -> None:
    got, after = RngOp(dst=tile((1, 2), dtype)).sem(ONE)
    assert got.dtype == dtype.np
    assert got.tolist() == [want]
    assert after.tolist() == [[0, 0, 0, 3, 51, 724874]]


def test_rand2_scales_23_bits() -> None:
    """u is 362440 / 2^23, of 724925 the same: 10 + 4 u."""
    got, after = rand2(dst=tile((1, 2))).sem(np.float32(10), np.float32(14), ONE)
    assert got.dtype == np.float32
    assert got.tolist() == [[np.float32(10 + 362440 / 2**21), np.float32(10 + 724925 / 2**21)]]
    assert after.tolist() == [[0, 0, 0, 3, 51, 724874]]


def test_dropout_compares_with_the_probability_in_32_bits() -> None:
    """362440 and 724925 of 2^32: the first is less than the probability, the second equal to it."""
    data = np.array([[7, 9]], np.float32)
    inst = dropout(dst=tile((1, 2)))
    exact = np.float32(724925 / 2**32)
    assert float(exact) * 2**32 == 724925
    assert inst.sem(data, exact, ONE)[0].tolist() == [[0, 9]]
    assert inst.sem(data, np.nextafter(exact, np.float32(1)), ONE)[0].tolist() == [[0, 0]]
    assert inst.sem(data, np.float32(362440 / 2**32), ONE)[0].tolist() == [[7, 9]]
    keeps = dropout(dst=tile((1, 2)), is_keep_threshold=True)
    assert keeps.sem(data, exact, ONE)[0].tolist() == [[7, 0]]


def test_dropout_keeps_bits() -> None:
    nan = np.array([[0x7FC00001, 0x80000000]], np.uint32).view(np.float32)
    got, _ = dropout(dst=tile((1, 2))).sem(nan, np.float32(0), ONE)
    assert got.view(np.uint32).tolist() == [[0x7FC00001, 0x80000000]]


@pytest.mark.parametrize(("prob", "kept"), [(0.0, 1), (1.0, 0), (-3.0, 1), (5.0, 0), (np.nan, 1)])
def test_probabilities_at_and_beyond_the_ends(prob: float, kept: int) -> None:
    inst = dropout(dst=tile((1, 64)))
    got, _ = inst.sem(np.ones((1, 64), np.float32), np.array([[prob]], np.float32), ONE)
    assert got.mean() == kept


def test_a_probability_for_each_partition() -> None:
    inst = dropout(dst=tile((3, 4096)))
    states = seeded(1, 3, 6)
    prob = np.array([[0], [0.25], [1]], np.float32)
    got, _ = inst.sem(np.ones((3, 4096), np.float32), prob, states)
    kept = got.mean(axis=1)
    assert kept[[0, 2]].tolist() == [1, 0]
    assert abs(kept[1] - 0.75) < 5 * np.sqrt(0.25 * 0.75 / 4096)


def test_a_seed_changes_every_lane() -> None:
    (states,) = SundaSetRandState(src_seeds=tile((1, 1))).sem(
        np.array([[-1]], np.int32), np.zeros((128, 24), np.uint32)
    )
    assert np.array_equal(states, seeded(2**32 - 1, 128, 24))


def test_state_instructions_move_words() -> None:
    source = words([1, 2, 3, 4, 5, 6])
    (states,) = RandSetState(src_seeds=tile((1, 6), dt.uint32)).sem(source, ONE)
    assert states.tolist() == source.tolist()
    got, after = RandGetState(dst=tile((1, 6), dt.uint32)).sem(source)
    assert got.tolist() == after.tolist() == source.tolist()


# --- warnings -------------------------------------------------------------------------------------


def warned(inst: Inst, *operands: Any) -> list[dict[str, object]]:
    return [found.facts for found in inst.watch(*operands) if found.code.id == "NKI6018"]


def test_a_probability_in_percent_is_noticed() -> None:
    prob = np.array([[0.5], [20], [np.nan], [1]], np.float32)
    inst = dropout(prob=tile((4, 1)))
    (facts,) = warned(inst, np.zeros((4, 1)), prob, ONE)
    assert (facts["count"], facts["partition"], facts["value"]) == (2, 1, 20.0)
    assert warned(inst, np.zeros((4, 1)), prob[[0, 3]], ONE) == []


def test_a_range_upside_down_is_noticed() -> None:
    low, high = np.array([[1], [2]], np.float32), np.array([[2], [2]], np.float32)
    inst = rand2(min=tile((2, 1)), max=tile((2, 1)))
    (facts,) = warned(inst, low, high, ONE)
    assert (facts["count"], facts["partition"], facts["value"]) == (1, 1, 2.0)
    assert warned(inst, low - 1, high, ONE) == []
    (facts,) = warned(rand2(min=2.0, max=tile((2, 1))), np.float32(3), high, ONE)
    assert (facts["count"], facts["partition"], facts["value"]) == (2, 0, 2.0)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", sorted(dt.ALL))
def test_rng_makes_integers_of_at_most_32_bits(dtype: DType) -> None:
    legal = dtype in {"int8", "int16", "int32", "uint8", "uint16", "uint32"}
    assert codes(rng_of(dtype)) == ([] if legal else ["NKI2106"])


def test_rng_on_its_engines() -> None:
    assert [codes(rng_of(engine=DVE), on) for on in TARGETS] == [[], [], []]
    assert [codes(rng_of(engine=POOL), on) for on in TARGETS] == [["NKI2113"], [], []]
    assert codes(rng_of(engine=Engine.ACT)) == ["NKI2113"]
    assert codes(rng_of(space=PSUM)) == []
    assert codes(rng_of(space=PSUM, engine=POOL)) == ["NKI2114"]
    assert codes(rng_of(space=Space.shared_hbm)) == ["NKI2105"]


UNIFORM = {
    "float8_e4m3", "float8_e5m2", "float16", "bfloat16", "float32", "tfloat32", "int8", "int16",
    "int32", "uint8", "uint16", "uint32",
}  # fmt: skip


@pytest.mark.parametrize("dtype", sorted(dt.ALL))
def test_rand2_makes_what_the_reference_lists(dtype: DType) -> None:
    assert codes(rand2(dst=tile((128, 4), dtype))) == ([] if dtype in UNIFORM else ["NKI2106"])


def test_rand2_is_of_the_vector_engine_of_trn3() -> None:
    assert [codes(rand2(), on) for on in TARGETS] == [["NKI2108"], ["NKI2108"], []]
    assert codes(rand2(engine=POOL)) == ["NKI2113"]
    assert codes(rand2(dst=tile((128, 4), space=PSUM))) == []


def test_ranges_go_up() -> None:
    assert codes(rand2(min=-1, max=1)) == []
    assert codes(rand2(min=np.nextafter(np.float32(1), np.float32(0)).item(), max=1.0)) == []
    for low, high in ((1.0, 1.0), (2.0, 1.0), (0.0, np.nan), (-np.inf, 0.0), (0.0, np.inf)):
        assert codes(rand2(min=low, max=high)) == ["NKI2124"], (low, high)
    assert codes(rand2(min=tile((128, 1)), max=tile((128, 1)))) == []
    assert codes(rand2(min=tile((128, 1)), max=-5.0)) == []
    for wrong in ({"min": "x"}, {"max": 1e39}, {"max": True}):
        assert codes(rand2(**wrong)) == ["NKI2121"]
    for name in ("min", "max"):
        assert codes(rand2(**{name: tile((128, 1), dt.bfloat16)})) == ["NKI2106"]
        assert codes(rand2(**{name: tile((128, 4))})) == ["NKI2107"]
        assert codes(rand2(**{name: tile((64, 1))})) == ["NKI2101"]


@pytest.mark.parametrize("dtype", sorted(set(dt.ALL) - {dt.int64, dt.uint64}))
def test_dropout_takes_every_dtype_of_tiles(dtype: DType) -> None:
    integer = dtype.is_int
    assert [codes(dropout(dtype), on) for on in TARGETS] == [[], [], []]
    assert codes(dropout(dtype, prob=tile((128, 1)))) == []
    narrow = dropout(dtype, prob=tile((128, 1), dt.bfloat16))
    assert codes(narrow) == (["NKI2106"] if integer else [])
    assert codes(dropout(dtype, prob=tile((128, 1), dt.int32))) == ["NKI2106"]
    other = dt.float32 if dtype != dt.float32 else dt.bfloat16
    assert codes(dropout(dtype, dst=tile((128, 4), other))) == ["NKI2116"]


def test_shapes_and_memories_of_dropout() -> None:
    assert codes(dropout(data=tile((128, 2, 2), space=PSUM))) == []
    assert codes(dropout(data=tile((128, 5)))) == ["NKI2102"]
    assert codes(dropout(data=tile((64, 4)))) == ["NKI2101"]
    assert codes(dropout(prob=tile((128, 4)))) == ["NKI2107"]
    assert codes(dropout(prob=tile((64, 1)))) == ["NKI2101"]
    assert codes(dropout(data=tile((128, 4), space=Space.shared_hbm))) == ["NKI2105"]
    assert codes(dropout(engine=POOL)) == ["NKI2113"]


@pytest.mark.parametrize("prob", [0, 1, 0.0, 1.0, 1e-45, True - 0.5])
def test_probabilities(prob: float) -> None:
    assert codes(dropout(prob=prob)) == []


@pytest.mark.parametrize("prob", [-1e-45, 1.0000001, 20, np.nan, np.inf])
def test_numbers_that_are_no_probabilities(prob: float) -> None:
    assert codes(dropout(prob=prob)) == ["NKI2124"]


def test_probabilities_are_numbers() -> None:
    assert codes(dropout(prob="x")) == ["NKI2121"]


@pytest.mark.parametrize("dtype", sorted(dt.ALL))
def test_seeds_have_32_bits(dtype: DType) -> None:
    legal = dtype in {"int32", "uint32", "float32", "tfloat32"}
    assert codes(seed_of(dtype=dtype), "trn1") == ([] if legal else ["NKI2106"])


def test_a_seed_is_one_value_on_chip() -> None:
    assert codes(seed_of(space=PSUM)) == []
    assert codes(seed_of((1, 1, 1))) == []
    assert codes(seed_of((1, 2))) == ["NKI2107"]
    assert codes(seed_of((2, 1))) == ["NKI2107"]
    assert codes(seed_of(space=Space.private_hbm)) == ["NKI2105"]
    assert codes(SundaSetRandState(src_seeds=tile((1, 1), dt.int32), engine=POOL)) == ["NKI2113"]


def set_state(shape=(128, 6), dtype=dt.uint32, space=SBUF, engine=POOL) -> Inst:
    return RandSetState(src_seeds=tile(shape, dtype, space), engine=engine)


def get_state(shape=(128, 6), dtype=dt.uint32, space=SBUF, engine=POOL) -> Inst:
    return RandGetState(dst=tile(shape, dtype, space), engine=engine)


@pytest.mark.parametrize("make", [set_state, get_state])
def test_states_have_the_words_of_their_engine(make) -> None:
    assert [codes(make(), on) for on in TARGETS] == [["NKI2108"], [], []]
    assert codes(make((1, 6))) == []
    assert codes(make((128, 24), engine=DVE)) == []
    assert codes(make((128, 24), engine=DVE), "trn2") == ["NKI2113"]
    assert codes(make(engine=Engine.ACT)) == ["NKI2113"]
    for shape, engine in (
        ((128, 24), POOL), ((128, 5), POOL), ((128, 2, 3), POOL), ((128, 6), DVE),
        ((128, 4, 6), DVE),
    ):  # fmt: skip
        assert codes(make(shape, engine=engine)) == ["NKI2107"], shape
    assert codes(make(dtype=dt.int32)) == ["NKI2106"]


def test_memories_of_states() -> None:
    assert codes(set_state(space=PSUM)) == ["NKI2105"]
    assert codes(set_state((128, 24), space=PSUM, engine=DVE)) == ["NKI2105"]
    assert codes(get_state(space=PSUM), "trn2") == ["NKI2114"]
    assert codes(get_state((128, 24), space=PSUM, engine=DVE)) == []


def test_text_cannot_choose_another_generator() -> None:
    for inst in (rng_of(), rand2(), dropout(), seed_of(), get_state(), set_state()):
        inst.prepare(target("trn3"))
        assert list(problems(inst, target("trn3"))) == []
        wrong = next(g for g in Generator if g is not inst.generator)  # type: ignore[attr-defined]
        inst.generator = wrong  # type: ignore[attr-defined]
        found = [p.code.id for p in problems(inst, target("trn3"))]
        assert found == ["NKI2124"], inst
