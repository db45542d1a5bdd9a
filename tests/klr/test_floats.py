"""float32 as bits: every kind of value comes back with the same bits."""

from __future__ import annotations

import random

import pytest

from opennki.klr.floats import bits_of, from_bits


@pytest.mark.parametrize(
    "bits",
    [0, 0x80000000, 0x3F800000, 0x7F7FFFFF, 1, 0x807FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
     0x7F800001, 0xFFC12345, 0x7FBFFFFF, *random.Random(0).choices(range(1 << 32), k=200)],
)  # fmt: skip
def test_bits_come_back(bits: int):
    assert bits_of(from_bits(bits)) == bits


def test_values_are_those_of_the_bits():
    assert from_bits(0x3FC00000) == 1.5
    assert bits_of(0.1) == 0x3DCCCCCD
    assert bits_of(float("nan")) == 0x7FC00000


@pytest.mark.parametrize("value", [1e39, -3.5e38])
def test_what_is_finite_does_not_become_infinite(value: float):
    with pytest.raises(OverflowError):
        bits_of(value)
