"""sequence_bounds: bounds of segments, padding, ids that are none, and each rule."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.bounds import GetSequenceBounds
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn2")


def tile(*shape: int, dtype: DType = dt.int32, space: Space = Space.sbuf, name: str = "t") -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def inst_of(n: int) -> GetSequenceBounds:
    return GetSequenceBounds(tile(1, 2, n), tile(1, n))


def bounds(ids: list[Any], dtype: Any = np.int32) -> list[list[int]]:
    made = inst_of(len(ids)).sem(np.array([ids], dtype))
    return made.reshape(2, len(ids)).tolist()


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(target(on))
    return [found.code.id for found in problems(inst, target(on))]


def plain(ids: list[int]) -> list[list[int]]:
    """The same, run by run."""
    first: list[int] = []
    last: list[int] = []
    for value, run_of in groupby(ids):
        length = len(list(run_of))
        start = len(first)
        first += [start if value else len(ids)] * length
        last += [start + length if value else -1] * length
    return [first, last]


def test_a_worked_example():
    first, last = bounds([0, 1, 1, 2, 2, 2, 0, 3, 3])
    assert first == [9, 1, 1, 3, 3, 3, 9, 7, 7]
    assert last == [-1, 3, 3, 6, 6, 6, -1, 9, 9]


@pytest.mark.parametrize(
    ("ids", "want"),
    [
        ([5], [[0], [1]]),
        ([0], [[1], [-1]]),
        ([0, 0, 0], [[3, 3, 3], [-1, -1, -1]]),
        ([4, 4, 4], [[0, 0, 0], [3, 3, 3]]),
        ([7, 0, 7], [[0, 3, 2], [1, -1, 3]]),
        ([3, 2, 2], [[0, 1, 1], [1, 3, 3]]),
    ],
)
def test_bounds_by_hand(ids: list[int], want: list[list[int]]):
    assert bounds(ids) == want
    assert bounds(ids, np.float32) == want


@pytest.mark.parametrize("n", [2, 33, 512])
def test_bounds_agree_with_a_plain_loop(n: int, rng: np.random.Generator):
    for ids in (rng.integers(0, 3, n).tolist(), np.sort(rng.integers(0, n, n)).tolist()):
        assert bounds(ids) == plain(ids)


def test_a_negative_zero_is_padding():
    assert bounds([0.0, -0.0, 1.0], np.float32) == [[3, 3, 2], [-1, -1, 3]]


def test_neighbours_beyond_float32_are_told_apart():
    assert bounds([2**24, 2**24 + 1]) == [[0, 1], [1, 2]]


@pytest.mark.parametrize("result", [dt.int32, dt.float32])
@pytest.mark.parametrize("source", [dt.int32, dt.float32])
def test_all_levels_agree(source: DType, result: DType, rng: np.random.Generator):
    ids = np.sort(rng.integers(0, 9, 40))
    inst = GetSequenceBounds(
        tile(1, 2, 40, dtype=result, name="dst"), tile(1, 40, dtype=source, name="ids")
    )
    inst.engine = inst.default_engine(T)
    function = program_of([inst], T)
    arrays: dict[str, Any] = {}
    for name in function.args:
        tensor = function.tensors[name]
        value = ids if name.startswith("ids") else 0
        arrays[name] = np.broadcast_to(value, tensor.shape).astype(tensor.dtype.np)
    for level in RUNNERS:
        made = run(function, arrays, level)
        (found,) = [array for name, array in made.items() if name.startswith("dst")]
        assert found.dtype == result.np
        assert found[0].tolist() == plain(ids.tolist())


@pytest.mark.parametrize(
    ("ids", "index", "count"),
    [([1, -1, 2], 1, 1), ([1, 2.5, -2], 1, 2), ([1, 1, np.nan], 2, 1), ([np.inf, 1], 0, 1)],
)
def test_ids_that_are_none_are_told(ids: list[float], index: int, count: int):
    (found,) = inst_of(len(ids)).watch(np.array([ids], np.float32))
    assert (found.code.id, found.facts["index"], found.facts["count"]) == ("NKI6011", index, count)


def test_ids_are_fine():
    for dtype in (np.int32, np.float32):
        assert list(inst_of(4).watch(np.array([[0, 1, 7, 2**24]], dtype))) == []


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_every_target_has_it(on: str):
    assert broken(inst_of(512), on) == []


@pytest.mark.parametrize(
    ("shape", "fits"),
    [((1, 2, 6), True), ((1, 12), True), ((1, 2, 2, 3), True), ((1, 6, 2), False),
     ((1, 6), False), ((1, 3, 4), False), ((2, 6), False), ((1, 2, 7), False)],
)  # fmt: skip
def test_the_result_has_two_rows(shape: tuple[int, ...], fits: bool):
    assert broken(GetSequenceBounds(tile(*shape), tile(1, 6))) == ([] if fits else ["NKI2107"])


def test_ids_are_in_one_partition():
    assert broken(GetSequenceBounds(tile(1, 2, 6), tile(2, 6))) == ["NKI2107"]


@pytest.mark.parametrize("dtype", [dt.uint32, dt.bfloat16, dt.uint8, dt.tfloat32])
def test_other_dtypes_are_refused(dtype: DType):
    assert broken(GetSequenceBounds(tile(1, 2, 6), tile(1, 6, dtype=dtype))) == ["NKI2106"]
    assert broken(GetSequenceBounds(tile(1, 2, 6, dtype=dtype), tile(1, 6))) == ["NKI2106"]


def test_psum_is_out_of_reach():
    assert broken(GetSequenceBounds(tile(1, 2, 6), tile(1, 6, space=Space.psum))) == ["NKI2105"]
