"""`nl.rand`, `nl.random_seed` and `nl.dropout`: the numbers, their range, and what is refused."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError
from opennki.isa.generator import INITIAL_SEED, draw, seeded, uniform

TARGETS = ("trn1", "trn2", "trn3")
WORDS = {"trn1": 1, "trn2": 1, "trn3": 24}
SEED = np.array([[42]], np.int32)
FLOATS = (
    np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2,
)  # fmt: skip


def stored(t):
    out = nl.ndarray(t.shape, t.dtype, nl.shared_hbm)
    nl.store(out, t)
    return out


@nki.jit
def twice(seed, shape, dtype):
    """The published example: the same seed gives the same tensor; without it there are new ones."""
    nl.random_seed(nl.load(seed))
    first = nl.rand(shape, dtype)
    later = nl.rand(shape, dtype)
    nl.random_seed(nl.load(seed))
    again = nl.rand(shape, dtype)
    return stored(first), stored(later), stored(again)


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_seed_gives_the_same_numbers(target):
    got = [np.asarray(a) for a in nki.simulate(twice, target=target)(SEED, (128, 8), np.float32)]
    first, states = draw(seeded(42, 128, WORDS[target]), 8)
    later, _ = draw(states, 8)
    assert np.array_equal(got[0], uniform(first))
    assert np.array_equal(got[1], uniform(later))
    assert np.array_equal(got[2], got[0])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_are_even_and_below_one(target, dtype):
    """2^15 numbers: the mean of uniform ones is 1/2 +- 0.29 / 181; narrow dtypes round to even."""
    got = nki.simulate(twice, target=target)(SEED, (128, 4, 64), np.dtype(dtype))
    values = np.asarray(got[0]).astype(np.float64)
    coarse = float(ml_dtypes.finfo(dtype).eps)
    assert 0 <= values.min() < 0.01
    assert 1 - max(coarse, 0.001) <= values.max() < 1
    assert abs(values.mean() - 0.5) < 5 * 0.29 / np.sqrt(values.size) + coarse / 4
    assert abs((values < 0.25).mean() - 0.25) < 5 * 0.43 / np.sqrt(values.size) + coarse


@nki.jit
def into(buffer, shape, dtype):
    made = nl.rand(shape, dtype, buffer)
    return made if nl.is_hbm(made.buffer) else stored(nl.copy(made))


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_in_psum(target):
    got = np.asarray(nki.simulate(into, target=target)(nl.psum, (32, 16), np.float32))
    numbers, _ = draw(seeded(INITIAL_SEED, 128, WORDS[target])[:32], 16)
    assert np.array_equal(got, uniform(numbers))


@pytest.mark.parametrize("shape", [(3,), (128, 8), (5, 300), (2, 130, 7), (1, 128 * 2048 + 2050)])
def test_hbm_of_any_shape_is_filled_with_different_numbers(shape):
    got = np.asarray(nki.simulate(into, target="trn2")(nl.shared_hbm, shape, np.float32))
    assert got.shape == shape
    assert got.min() >= 0
    assert got.max() < 1
    # Of n numbers out of 2^23, about n^2 / 2^24 pairs are equal.
    pairs = got.size - len(np.unique(got))
    assert pairs <= got.size**2 / 2**24 * 1.1 + 3


@nki.jit
def dropping(x, rate, dtype):
    t = nl.load(x)
    tile = nl.load(rate) if isinstance(rate, nl.NkiTensor) else rate
    return stored(nl.dropout(t, tile, dtype))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [None, ml_dtypes.bfloat16])
def test_dropout_by_a_number(target, dtype):
    x = np.full((128, 100), 3, np.float32)
    kind = None if dtype is None else np.dtype(dtype)
    got = np.asarray(nki.simulate(dropping, target=target)(x, 0.25, kind))
    numbers, _ = draw(seeded(INITIAL_SEED, 128, WORDS[target]), 100)
    assert got.dtype == (dtype or np.float32)
    assert np.array_equal(got.astype(np.float32), np.where(numbers < 2**30, 0, x))


def test_dropout_by_a_rate_of_each_partition():
    x = np.ones((128, 50), np.float32)
    rate = np.repeat(np.float32([0, 1]), 64)[:, None]
    got = np.asarray(nki.simulate(dropping)(x, rate, None))
    assert got.sum(axis=1).tolist() == [50] * 64 + [0] * 64


def refused(body) -> list[str]:
    def kernel(x):
        body()
        return nl.zeros((1, 1), nl.float32, nl.shared_hbm)

    with pytest.raises(NkiError) as caught:
        nki.simulate(kernel)(np.zeros((1, 1), np.float32))
    return [found.code.id for found in caught.value.diagnostics]


@pytest.mark.parametrize("dtype", [nl.int32, nl.uint8, nl.bool_, nl.float8_e8m0fnu])
def test_dtypes_without_numbers_between_0_and_1(dtype):
    assert refused(lambda: nl.rand((2, 2), dtype)) == ["NKI2106"]


def test_seeds_that_are_none():
    assert refused(lambda: nl.random_seed(7)) == ["NKI1007"]
    assert refused(lambda: nl.random_seed(nl.zeros((1, 2), nl.int32))) == ["NKI2107"]
    assert refused(lambda: nl.random_seed(nl.zeros((1, 1), nl.bfloat16))) == ["NKI2106"]


def test_what_cannot_be_dropped():
    def tile(buffer=nl.sbuf):
        return nl.zeros((4, 4), nl.float32, buffer)

    assert refused(lambda: nl.dropout(1.0, 0.5)) == ["NKI1007"]
    assert refused(lambda: nl.dropout(tile(), 1.5)) == ["NKI2124"]
    assert refused(lambda: nl.dropout(tile(), tile())) == ["NKI2107"]
    assert refused(lambda: nl.dropout(tile(), "half")) == ["NKI1007"]
    assert refused(lambda: nl.dropout(tile(nl.shared_hbm), 0.5)) == ["NKI2105"]


def test_a_published_search_over_random_numbers_runs():
    """Kernels that begin with nl.rand and nothing else."""

    @nki.jit
    def kernel(x):
        data = nl.rand((32, 128), nl.float32)
        top = nl.ndarray((32, 8), nl.float32, nl.sbuf)
        nisa.max8(dst=top, src=data)
        return stored(data), stored(top)

    data, top = nki.simulate(kernel)(np.zeros((1, 1), np.float32))
    assert np.array_equal(np.asarray(top), np.sort(np.asarray(data), axis=1)[:, :-9:-1])
