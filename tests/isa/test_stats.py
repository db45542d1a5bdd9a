"""bn_stats and bn_aggr: mean and variance in two steps."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base.dtypes import DType, bfloat16, float32
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.stats import SundaBNAggr, SundaBNStats
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def stats(data: np.ndarray) -> np.ndarray:
    return SundaBNStats(tile(len(data), 6), tile(*data.shape)).sem(data)


def aggregate(triples: np.ndarray) -> np.ndarray:
    return SundaBNAggr(tile(len(triples), 2), tile(*triples.shape)).sem(triples)


def test_even_and_odd_elements_are_counted_apart():
    data = np.array([[1, 10, 3, 20, 5]], np.float32)
    assert stats(data).tolist() == [[3, 3, 8, 2, 15, 50]]


def test_one_element_leaves_the_odd_triple_empty():
    assert stats(np.array([[7]], np.float32)).tolist() == [[1, 7, 0, 0, 0, 0]]


def test_equal_elements_have_no_variance():
    made = stats(np.full((3, 512), 0.1, np.float32))
    # The weights 1 - 1/n and 1/n are rounded, once in each of 256 steps.
    np.testing.assert_allclose(made[:, [1, 4]], 0.1, rtol=256 * 2.0**-24)
    assert np.all(np.abs(made[:, [2, 5]]) < 256 * (256 * 2.0**-24 * 0.1) ** 2)


def test_triples_are_merged_to_mean_and_variance():
    # 1, 3, 5 and 10, 20: mean 39 / 5; variance (8 + 50) / 5 + 3 * 2 * 12**2 / 5**2
    made = aggregate(np.array([[3, 3, 8, 2, 15, 50]], np.float32))
    np.testing.assert_allclose(made, [[7.8, 46.16]], rtol=4 * 2.0**-24)


def test_one_triple_is_its_own_mean():
    assert aggregate(np.array([[4, 2.5, 6]], np.float32)).tolist() == [[2.5, 1.5]]


def test_empty_triples_change_nothing():
    assert aggregate(np.array([[0, 0, 0, 4, 2.5, 6, 0, 9, 0]], np.float32)).tolist() == [[2.5, 1.5]]
    assert aggregate(np.zeros((2, 6), np.float32)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("free", [2, 3, 17, 511, 512])
def test_both_steps_give_mean_and_population_variance(free: int, rng: np.random.Generator):
    data = rng.normal(3, 2, (4, free)).astype(np.float32)
    made = aggregate(stats(data))
    exact = data.astype(np.float64)
    # Each of the `free` steps of the recurrence rounds a few times.
    tolerance = 4 * free * 2.0**-24
    np.testing.assert_allclose(made[:, 0], exact.mean(1), rtol=tolerance)
    np.testing.assert_allclose(made[:, 1], exact.var(1), rtol=tolerance)
    assert made.dtype == np.float32


def test_the_variance_survives_a_large_mean():
    data = np.array([[4096, 4097, 4098, 4099] * 16], np.float32)
    # Deviations of about 1 are taken from a mean that is rounded to 2**-11.
    np.testing.assert_allclose(aggregate(stats(data)), [[4097.5, 1.25]], rtol=2.0**-11)


def test_a_nan_stays_in_its_triple_and_its_partition():
    made = stats(np.array([[np.nan, 1, 2, 3], [1, 2, 3, 4]], np.float32))
    assert np.isnan(made[0]).tolist() == [False, True, True, False, False, False]
    assert made[1].tolist() == [2, 2, 2, 2, 3, 2]


def test_statistics_are_bounded_in_the_free_dimension():
    assert broken(SundaBNStats(tile(4, 6), tile(4, 512, dtype=bfloat16))) == []
    assert broken(SundaBNStats(tile(4, 6), tile(4, 513))) == ["NKI2104"]


def test_statistics_have_six_fields():
    assert broken(SundaBNStats(tile(4, 5), tile(4, 8))) == ["NKI2107"]
    assert broken(SundaBNStats(tile(4, 2, 3), tile(4, 8, space=Space.psum))) == []


def test_aggregation_takes_whole_triples():
    assert broken(SundaBNAggr(tile(4, 2), tile(4, 3))) == []
    assert broken(SundaBNAggr(tile(4, 2), tile(4, 2, 6))) == []
    assert broken(SundaBNAggr(tile(4, 2), tile(4, 8))) == ["NKI2411"]


def test_aggregation_has_two_fields():
    assert broken(SundaBNAggr(tile(4, 6), tile(4, 6))) == ["NKI2107"]
