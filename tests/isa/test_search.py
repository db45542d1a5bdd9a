"""max8, nc_find_index8, nc_match_replace8: values, ties, what is not there, and each rule."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.search import (
    MaxIndexAndMatchReplace,
    SundaMatchReplace8,
    SundaMax8,
    SundaMaxIndex8,
)
from opennki.lower import BirCodeGenLoop
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

INF = float("inf")
NAN = float("nan")
NONE = 0xFFFF_FFFF
T = target("trn2")
Values = list[float]


def tile(*shape: int, dtype: DType = dt.float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst) -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(T)
    return [found.code.id for found in problems(inst, T)]


def f32(*rows: Values) -> np.ndarray:
    return np.array(rows, np.float32)


def largest(*rows: Values) -> list[Values]:
    data = f32(*rows)
    made = SundaMax8(tile(len(data), 8), tile(*data.shape)).sem(data)
    assert (made.dtype, made.shape) == (np.float32, (len(data), 8))
    return made.tolist()


def find(data: Values, vals: Values) -> list[int]:
    inst = SundaMaxIndex8(tile(1, 8, dtype=dt.uint32), tile(1, len(data)), tile(1, 8))
    made = inst.sem(f32(data), f32(vals))
    assert made.dtype == np.uint32
    return made[0].tolist()


def replace(data: Values, vals: Values, imm: float) -> tuple[Values, list[int]]:
    places = tile(1, 8, dtype=dt.uint32)
    inst = SundaMatchReplace8(tile(1, len(data)), tile(1, len(data)), tile(1, 8), imm, places)
    replaced, indices = inst.sem(f32(data), f32(vals))
    assert (replaced.dtype, indices.dtype) == (np.float32, np.uint32)
    return replaced[0].tolist(), indices[0].tolist()


# --- max8 -----------------------------------------------------------------------------------------


def test_the_eight_largest_come_in_descending_order():
    rows = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [0, -1, -2, -3, -4, -5, -6, -7, -8, -INF]
    assert largest(*rows) == [[9, 6, 5, 5, 4, 3, 3, 2], [0, -1, -2, -3, -4, -5, -6, -7]]


def test_eight_elements_are_sorted():
    assert largest([1, INF, -INF, 0, 2, 1, 1, -0.5]) == [[INF, 2, 1, 1, 1, 0, -0.5, -INF]]


def test_the_earlier_of_two_zeros_is_first():
    made = largest([-1, 0.0, -0.0, -0.0, 0.0, -2, -3, -4, -5])[0]
    assert np.signbit(made).tolist() == [False, True, True, False, True, True, True, True]


def test_zeros_of_a_long_row_keep_their_order(rng: np.random.Generator):
    data = rng.choice(f32([0.0, -0.0, -1.0, -2.0])[0], 2000)
    zeros = data[data == 0]
    made = largest(data.tolist(), [NAN, *data[1:].tolist()])
    assert np.signbit(made[0]).tolist() == np.signbit(zeros[:8]).tolist()
    assert np.signbit(made[1][1:]).tolist() == np.signbit(data[1:][data[1:] == 0][:7]).tolist()


def test_a_nan_keeps_its_place_and_its_partition():
    made = largest([1, NAN, 3, 2, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7, 8])
    # 1; 1 NaN; 3 1 NaN; 3 2 1 NaN; and zeros after it
    np.testing.assert_array_equal(made[0], [3, 2, 1, NAN, 0, 0, 0, 0])
    assert made[1] == [8, 7, 6, 5, 4, 3, 2, 1]


def test_a_late_nan_is_not_among_eight():
    assert largest([1, 2, 3, 4, 5, 6, 7, 8, NAN, 9]) == [[9, 8, 7, 6, 5, 4, 3, 2]]


@pytest.mark.parametrize("free", [8, 9, 100, 16384])
def test_values_are_those_of_a_sort(free: int, rng: np.random.Generator):
    data = rng.integers(-50, 50, (5, free)).astype(np.float32)
    made = SundaMax8(tile(5, 8), tile(5, free)).sem(data)
    np.testing.assert_array_equal(made, np.sort(data, axis=1)[:, ::-1][:, :8])


# --- nc_find_index8 -------------------------------------------------------------------------------


def test_positions_are_of_first_occurrences():
    assert find([5, 7, 6, 7, 5, 8, 9, 4], [9, 8, 7, 6, 5, 4, 0, 1]) == [
        6,
        5,
        1,
        2,
        0,
        7,
        NONE,
        NONE,
    ]


def test_equal_values_find_successive_occurrences():
    data = [2, 7, 7, 1, 7, 0, 0, 0]
    assert find(data, [7, 2, 7, 1, 7, 7, 7, 0]) == [1, 0, 2, 3, 4, NONE, NONE, 5]


def test_zeros_are_equal_and_nan_equals_nothing():
    data = [NAN, -0.0, INF, -INF, 0.0, 1, 1, 1]
    vals = [NAN, 0.0, -0.0, 0.0, INF, -INF, NAN, 2]
    assert find(data, vals) == [NONE, 1, 4, NONE, 2, 3, NONE, NONE]


def test_partitions_are_searched_apart():
    data, vals = f32([1] * 8, [2] * 8), f32([2] * 8, [2] * 8)
    inst = SundaMaxIndex8(tile(2, 8, dtype=dt.uint32), tile(2, 8), tile(2, 8))
    assert inst.sem(data, vals).tolist() == [[NONE] * 8, list(range(8))]


def test_positions_of_the_largest_give_them_back(rng: np.random.Generator):
    data = rng.integers(-9, 9, (16, 40)).astype(np.float32)
    top = SundaMax8(tile(16, 8), tile(16, 40)).sem(data)
    where = SundaMaxIndex8(tile(16, 8, dtype=dt.uint32), tile(16, 40), tile(16, 8)).sem(data, top)
    np.testing.assert_array_equal(where, np.argsort(-data, axis=1, kind="stable")[:, :8])


# --- nc_match_replace8 ----------------------------------------------------------------------------


def test_first_occurrences_are_replaced():
    data, vals = [5, 7, 6, 7, 5, 8, 9, 4, 1], [9, 8, 7, 6, 5, 4, 0, 2]
    want = [-1, -1, -1, 7, 5, -1, -1, -1, 1]
    assert replace(data, vals, -1) == (want, [6, 5, 1, 2, 0, 7, NONE, NONE])


def test_the_first_of_equal_values_belongs_to_the_highest_slot():
    data, vals = [2, 7, 7, 1, 7, 7, 0, 3], [7, 2, 7, 1, 7, 0, 3, 6]
    assert replace(data, vals, 9) == ([9, 9, 9, 9, 9, 7, 9, 9], [4, 0, 2, 3, 1, 6, 7, NONE])


def test_equal_values_that_are_too_many_leave_the_low_slots_empty():
    data, vals = [4, 7, 1, 7, 1, 1, 1, 1], [7] * 8
    want = [4, 0, 1, 0, 1, 1, 1, 1]
    assert replace(data, vals, 0) == (want, [NONE] * 6 + [3, 1])


def test_a_replacement_is_not_found_again():
    data, vals = [1, 5, 5, 2, 2, 2, 2, 2], [5, 5, 5, 3, 3, 3, 3, 3]
    assert replace(data, vals, 5) == (data, [NONE, 2, 1, *[NONE] * 5])


def test_zeros_match_and_nan_does_not():
    replaced, indices = replace([NAN, -0.0, 3, 3, 3, 3, 3, 3], [0.0, NAN, 1, 1, 1, 1, 1, 1], INF)
    np.testing.assert_array_equal(replaced, [NAN, INF, 3, 3, 3, 3, 3, 3])
    assert indices == [1, *[NONE] * 7]


def plain_replace(data: np.ndarray, vals: np.ndarray, imm: float) -> tuple[Any, Any]:
    """The same, element by element: occurrences of a value go to its slots from the last on."""
    replaced, indices = data.copy(), np.full(vals.shape, NONE, np.uint32)
    for row, (line, wanted) in enumerate(zip(data, vals, strict=True)):
        for value in set(wanted.tolist()):
            slots = np.flatnonzero(wanted == value)[::-1]
            for slot, place in zip(slots, np.flatnonzero(line == value), strict=False):
                replaced[row, place] = imm
                indices[row, slot] = place
    return replaced, indices


@pytest.mark.parametrize("free", [8, 30, 500])
def test_replacing_agrees_with_a_plain_loop(free: int, rng: np.random.Generator):
    data = rng.integers(0, 20, (32, free)).astype(np.float32)
    vals = rng.integers(0, 20, (32, 8)).astype(np.float32)
    places = tile(32, 8, dtype=dt.uint32)
    inst = SundaMatchReplace8(tile(32, free), tile(32, free), tile(32, 8), -2.5, places)
    before = data.copy()
    for made, want in zip(inst.sem(data, vals), plain_replace(data, vals, -2.5), strict=True):
        np.testing.assert_array_equal(made, want)
    np.testing.assert_array_equal(data, before)


def test_both_opcodes_replace_alike(rng: np.random.Generator):
    data = rng.integers(0, 9, (4, 20)).astype(np.float32)
    vals = rng.integers(0, 9, (4, 8)).astype(np.float32)
    tiles = {"dst": tile(4, 20), "data": tile(4, 20), "vals": tile(4, 8), "imm": 1.5}
    one = MaxIndexAndMatchReplace(dst_idx=tile(4, 8, dtype=dt.uint32), **tiles).sem(data, vals)
    other = SundaMatchReplace8(**tiles).sem(data, vals)
    for made, want in zip(one, other, strict=True):
        np.testing.assert_array_equal(made, want)


# --- through memory -------------------------------------------------------------------------------


def views(**dtypes: DType) -> dict[str, View]:
    """Whole tensors of two partitions: ``data``, ``src`` and ``dst`` of 10 elements, others of 8.

    Named as the fields are.
    """
    long = ("data", "src", "dst")
    return {
        name: View.whole(Tensor(name, (2, 10 if name in long else 8), dtype, Space.sbuf))
        for name, dtype in dtypes.items()
    }


def result(inst: Inst, **inputs: Any) -> dict[str, np.ndarray]:
    """What all levels agree that `inst` leaves in its tensors, by the names of its fields."""
    inst.engine = inst.default_engine(T)
    function = program_of([inst], T)
    arrays = {}
    for name in function.args:
        tensor = function.tensors[name]
        value = inputs.get(name.partition(".")[0], 0)
        arrays[name] = np.broadcast_to(value, tensor.shape).astype(tensor.dtype.np)
    made = [run(function, arrays, level) for level in RUNNERS]
    for other in made[1:]:
        assert {n: a.tobytes() for n, a in other.items()} == {
            n: a.tobytes() for n, a in made[0].items()
        }
    return {name.partition(".")[0]: array for name, array in made[0].items()}


DATA = [5, 7, 6, 7, 5, 8, 9, 4, 1, 2]
VALS = [9, 8, 7, 7, 7, 5, 4, 0]


def test_absent_positions_are_all_ones_in_uint16():
    tiles = views(data=dt.bfloat16, vals=dt.float32)
    found = View.whole(Tensor("found", (2, 8), dt.uint16, Space.sbuf))
    made = result(SundaMaxIndex8(found, **tiles), data=DATA, vals=VALS)["found"]
    assert made.dtype == np.uint16
    assert made.tolist() == [[6, 5, 1, 3, 0xFFFF, 0, 7, 0xFFFF]] * 2


def test_positions_may_be_in_psum_and_uint16():
    tiles = views(dst=dt.bfloat16, data=dt.bfloat16, vals=dt.float32)
    places = View.whole(Tensor("places", (2, 8), dt.uint16, Space.psum))
    inst = SundaMatchReplace8(**tiles, imm=-INF, dst_idx=places)
    made = result(inst, data=DATA, vals=VALS)
    assert made["places"].tolist() == [[6, 5, 0xFFFF, 3, 1, 0, 7, 0xFFFF]] * 2
    assert made["dst"].dtype == ml_dtypes.bfloat16
    want = [-INF, -INF, 6, -INF, 5, -INF, -INF, -INF, 1, 2]
    assert made["dst"].astype(np.float32).tolist() == [want] * 2


def test_a_tile_is_replaced_in_place():
    tiles = views(data=dt.float32, vals=dt.float32)
    made = result(SundaMatchReplace8(tiles["data"], **tiles, imm=0.5), data=DATA, vals=VALS)
    assert made["data"].tolist() == [[0.5, 0.5, 6, 0.5, 5, 0.5, 0.5, 0.5, 1, 2]] * 2


def test_results_are_rounded_and_saturate():
    tiles = views(dst=dt.uint8, data=dt.float32, vals=dt.float32)
    data = [0.5, 1.5, 2.5, 300, -4, 7, 7, 7, 7, 7]
    made = result(SundaMatchReplace8(**tiles, imm=INF), data=data, vals=[1.5] * 8)
    assert made["dst"].tolist() == [[0, 255, 2, 255, 0, 7, 7, 7, 7, 7]] * 2


def test_large_integers_are_compared_in_float32():
    tiles = views(data=dt.int32, vals=dt.int32)
    data = [0, 2**24 + 1, 2**24, 1, 2, 3, 4, 5, 6, 7]
    found = View.whole(Tensor("found", (2, 8), dt.uint32, Space.sbuf))
    made = result(SundaMaxIndex8(found, **tiles), data=data, vals=[2**24] * 8)["found"]
    assert made[0].tolist() == [1, 2, *[NONE] * 6]


def test_positions_count_in_the_order_of_the_walk(rng: np.random.Generator):
    data = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    storage = Tensor("data", data.shape, dt.float32, Space.sbuf)
    turned = View(storage, 0, (2, 4, 3), (12, 1, 4), dt.float32)
    found = View.whole(Tensor("found", (2, 8), dt.uint32, Space.sbuf))
    vals = View.whole(Tensor("vals", (2, 8), dt.float32, Space.sbuf))
    order = rng.permutation(12)[:8]
    walked = data.transpose(0, 2, 1).reshape(2, 12)
    made = result(SundaMaxIndex8(found, turned, vals), data=data, vals=walked[:, order])
    assert made["found"].tolist() == [order.tolist()] * 2


# --- lowering -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("positions", "opcode"), [
    (False, "MatchReplace"), (True, "MaxIndexAndMatchReplace"),
])  # fmt: skip
def test_positions_choose_the_opcode(positions: bool, opcode: str):
    tiles = views(dst=dt.float32, data=dt.float32, vals=dt.float32)
    places = View.whole(Tensor("places", (2, 8), dt.uint32, Space.sbuf)) if positions else None
    inst = SundaMatchReplace8(**tiles, imm=2.5, dst_idx=places)
    inst.engine = inst.default_engine(T)
    module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
    made = [i for i in module.functions[0].blocks[0].instructions if i.opcode.startswith("Ma")]
    assert [i.opcode for i in made] == [opcode]
    assert made[0].attrs == {"imm_value": 2.5}
    assert [len(made[0].ins), len(made[0].outs)] == [2, 1 + positions]
    assert birpy.dumps(birpy.loads(birpy.dumps(module))) == birpy.dumps(module)


# --- rules ----------------------------------------------------------------------------------------


def test_searches_have_between_8_and_16384_elements():
    for free, want in ((7, ["NKI2412"]), (8, []), (16384, []), (16385, ["NKI2104"])):
        found, places = tile(4, 8, dtype=dt.uint16), tile(4, 8, dtype=dt.uint32)
        assert broken(SundaMax8(tile(4, 8), tile(4, free))) == want
        assert broken(SundaMaxIndex8(found, tile(4, free), tile(4, 8))) == want
        tiles = {"dst": tile(4, free), "data": tile(4, free), "vals": tile(4, 8), "imm": 0.0}
        assert broken(SundaMatchReplace8(**tiles)) == want
        assert broken(MaxIndexAndMatchReplace(dst_idx=places, **tiles)) == want


def test_searches_walk_few_dimensions():
    assert broken(SundaMax8(tile(4, 8), tile(4, 2, 1, 8))) == []
    assert broken(SundaMax8(tile(4, 8), tile(4, 2, 2, 8))) == ["NKI2413"]
    assert broken(SundaMax8(tile(4, 2, 4), tile(4, 16))) == ["NKI2413"]
    found = tile(4, 8, dtype=dt.uint32)
    assert broken(SundaMaxIndex8(found, tile(4, 2, 8), tile(4, 2, 4))) == []
    assert broken(SundaMaxIndex8(found, tile(4, 16), tile(4, 2, 2, 2))) == ["NKI2413"]


def test_replacements_walk_as_many_dimensions_as_any_access():
    deep = tile(4, 2, 2, 2, 3)
    assert broken(SundaMatchReplace8(deep, deep, tile(4, 2, 2, 2), 0.0)) == []


def test_positions_are_unsigned():
    for dtype in (dt.int32, dt.uint8, dt.float32, dt.int16):
        places = tile(4, 8, dtype=dtype)
        assert broken(SundaMaxIndex8(places, tile(4, 9), tile(4, 8))) == ["NKI2106"]
        inst = SundaMatchReplace8(tile(4, 9), tile(4, 9), tile(4, 8), 0.0, places)
        assert broken(inst) == ["NKI2106"]


def test_there_are_eight_values():
    found = tile(4, 8, dtype=dt.uint32)
    assert broken(SundaMaxIndex8(found, tile(4, 9), tile(4, 7))) == ["NKI2107"]
    assert broken(SundaMatchReplace8(tile(4, 9), tile(4, 9), tile(4, 9), 0.0)) == ["NKI2107"]
    assert broken(SundaMax8(tile(4, 7), tile(4, 9))) == ["NKI2107"]


@pytest.mark.parametrize("imm", [1e39, "x", True])
def test_the_replacement_is_a_float32(imm: Any):
    assert broken(SundaMatchReplace8(tile(4, 9), tile(4, 9), tile(4, 8), imm)) == ["NKI2124"]


def test_all_of_a_search_may_be_in_psum():
    psum = Space.psum
    tiles = {"data": tile(4, 16, space=psum), "vals": tile(4, 8, space=psum)}
    assert broken(SundaMaxIndex8(tile(4, 8, dtype=dt.uint32, space=psum), **tiles)) == []
    assert broken(SundaMatchReplace8(tile(4, 16, space=psum), **tiles, imm=-INF)) == []
