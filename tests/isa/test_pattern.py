"""Index patterns: normal form, rules, values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.dtypes import int32
from opennki.ir import Space, Tensor, View
from opennki.isa.fill import IndexValueInst
from opennki.isa.pattern import normalise, pattern_problems, values
from opennki.target import target

T = target("trn2")
pairs = st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(1, 4))


def codes(pattern: object, elements: int = 12, **numbers: object) -> list[str]:
    dst = View.whole(Tensor("t", (4, elements), int32, Space.sbuf))
    inst = IndexValueInst(dst=dst, pattern=())
    return [p.code.id for p in pattern_problems(inst, pattern, T, **numbers)]


def test_values_are_a_nested_count_plus_channel_and_offset() -> None:
    got = values([[10, 2], [1, 3]], offset=5, channel_multiplier=100, partitions=2)
    assert got.dtype == np.int32
    assert got.tolist() == [[5, 6, 7, 15, 16, 17], [105, 106, 107, 115, 116, 117]]


def test_values_wrap_around_like_32_bit_integers() -> None:
    top = 2**31 - 1
    assert values([[1, 2]], top, 0, 1).tolist() == [[top, -(2**31)]]
    assert values([[0, 1]], 0, top, 4).tolist() == [[0], [top], [-2], [top - 2]]


@given(st.lists(pairs, min_size=1, max_size=4), st.integers(-(2**31), 2**31 - 1))
def test_values_agree_with_four_nested_loops(pattern: list[tuple[int, int]], offset: int) -> None:
    want = [offset]
    for step, num in pattern:
        want = [base + step * k for base in want for k in range(num)]
    wrapped = [(v + 2**31) % 2**32 - 2**31 for v in want]
    assert values(pattern, offset, 7, 1).tolist() == [wrapped]


def test_normal_form_is_tuples_of_ints() -> None:
    got = normalise([[np.int64(2), 3], (-1, np.int32(4))])
    assert got == ((2, 3), (-1, 4))
    assert all(type(v) is int for pair in got for v in pair)


@pytest.mark.parametrize(
    "bad", [[], 3, "ab", [1, 64], [[1, 2, 3]], [[1, 0]], [[1.0, 2]], [[1, True]]]
)
def test_what_is_no_pattern_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match=r"not|counts"):
        normalise(bad)
    assert codes(bad) == ["NKI2602"]


def test_four_pairs_are_the_most() -> None:
    assert codes([[1, 2], [1, 1], [1, 2], [1, 3]]) == []
    assert codes([[1, 2], [1, 1], [1, 2], [1, 3], [1, 1]]) == ["NKI2602"]


def test_the_counts_multiply_to_the_elements_per_partition() -> None:
    assert codes([[1, 4], [8, 3]]) == []
    assert codes([[1, 4], [8, 2]]) == ["NKI2601"]


def test_steps_and_numbers_are_int32() -> None:
    assert codes([[2**31 - 1, 12]], offset=-(2**31)) == []
    assert codes([[2**31, 12]]) == ["NKI2605"]
    assert codes([[1, 12]], offset=-(2**31) - 1) == ["NKI2605"]
    assert codes([[1, 12]], offset=0.5) == ["NKI2605"]
    assert codes([[1, 12]], offset=True) == ["NKI2605"]


def test_an_offset_may_depend_on_a_loop_if_it_stays_int32() -> None:
    i = LoopVar("i", 0, 4)
    assert codes([[1, 12]], offset=AffineExpr.of(i, 512)) == []
    assert codes([[1, 12]], offset=AffineExpr.of(i, 2**30)) == ["NKI2605"]
