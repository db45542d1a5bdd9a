"""The generators behind the random instructions: published steps by hand, and their properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki.isa.enums import Engine
from opennki.isa.generator import (
    INITIAL_SEED,
    Generator,
    draw,
    generator_of,
    seeded,
    shifted,
    uniform,
)
from opennki.target import target

Words = np.ndarray[Any, np.dtype[np.uint32]]
PERIOD = 2**32 - 1
FACTORS = (3, 5, 17, 257, 65537)
"""Prime factors of 2^32 - 1."""


def words(*rows: list[int]) -> Words:
    return np.array(rows, np.uint32)


@pytest.mark.parametrize(
    ("name", "vector"),
    [("trn1", Generator.LFSR), ("trn2", Generator.LFSR), ("trn3", Generator.XORWOW_4)],
)
def test_which_engine_has_which_generator(name: str, vector: Generator) -> None:
    assert generator_of(Engine.DVE, target(name)) is vector
    assert generator_of(Engine.POOL, target(name)) is Generator.XORWOW


# --- XORWOW ---------------------------------------------------------------------------------------


def test_two_steps_of_xorwow_by_hand() -> None:
    """First t = 1, the new word 1 ^ 2 = 3; then t = 0, the new word 3 ^ 48 = 51."""
    numbers, after = draw(words([1, 0, 0, 0, 0, 0]), 2)
    assert numbers.tolist() == [[3 + 362437, 51 + 2 * 362437]]
    assert after.tolist() == [[0, 0, 0, 3, 51, 2 * 362437]]


def test_xorwow_wraps_at_32_bits() -> None:
    """t = 0xC0000000; 0xF (0xFFFFFFFF and its shift by 4), 0x40000000 (t and its shift by 1)."""
    numbers, after = draw(words([0xFFFFFFFF] * 6), 1)
    assert after.tolist() == [[*[0xFFFFFFFF] * 4, 0x4000000F, 362436]]
    assert numbers.tolist() == [[0x4000000F + 362436]]


def test_xorwow_equals_an_independent_step_on_python_integers() -> None:
    """An independent step on Python integers, from the seeds of the paper."""
    x, y, z, w, v, d = 123456789, 362436069, 521288629, 88675123, 5783321, 6615241
    numbers, _ = draw(words([x, y, z, w, v, d]), 50)
    for number in numbers[0].tolist():
        t = x ^ (x >> 2)
        x, y, z, w = y, z, w, v
        v = (v ^ (v << 4)) ^ (t ^ (t << 1))
        v, d = v % 2**32, (d + 362437) % 2**32
        assert number == (d + v) % 2**32


def test_five_words_of_zero_count_as_a_one_at_the_end() -> None:
    stuck, _ = draw(words([0, 0, 0, 0, 0, 7]), 5)
    guarded, _ = draw(words([0, 0, 0, 0, 1, 7]), 5)
    assert np.array_equal(stuck, guarded)
    assert len(set(stuck[0].tolist())) == 5


def test_four_states_take_turns_and_step_together() -> None:
    states = [[k, 0, 0, 0, 0, 0] for k in (1, 2, 3, 4)]
    each = [draw(words(s), 2) for s in states]
    numbers, after = draw(words([word for s in states for word in s]), 6)
    assert numbers.tolist() == [[each[k][0][0, step] for step in (0, 1) for k in range(4)][:6]]
    assert after.tolist() == [[int(w) for _, a in each for w in a[0]]]


# --- the shift register ---------------------------------------------------------------------------


def test_the_register_takes_in_the_parity_of_its_taps() -> None:
    """Bit 1, then bits 1 and 2, then bit 2 alone, then bit 1 alone."""
    states = [1]
    for _ in range(4):
        states.append(shifted(states[-1]))
    assert states == [0b1, 0b11, 0b110, 0b1101, 0b11011]
    assert shifted(1 << 31) == 1
    assert shifted(1 << 21) == 1 << 22 | 1
    assert shifted(1 << 20) == 1 << 21


def test_a_number_is_the_register_32_shifts_later() -> None:
    first, second = 1, 0xDEADBEEF
    numbers, after = draw(words([first], [second]), 3)
    for lane, state in enumerate((first, second)):
        for f in range(3):
            for _ in range(32):
                state = shifted(state)
            assert numbers[lane, f] == state
    assert after.tolist() == numbers[:, 2:].tolist()


def test_a_register_of_zero_counts_as_one() -> None:
    assert np.array_equal(draw(words([0]), 4)[0], draw(words([1]), 4)[0])


def after_shifts(state: int, count: int) -> int:
    """The register after `count` shifts: powers of the shift as lists of its columns."""
    power = [shifted(1 << bit) for bit in range(32)]
    while count:
        if count & 1:
            state = applied(power, state)
        power = [applied(power, column) for column in power]
        count >>= 1
    return state


def applied(columns: list[int], state: int) -> int:
    found = 0
    for bit in range(32):
        if state >> bit & 1:
            found ^= columns[bit]
    return found


def test_the_register_runs_through_every_state_but_zero() -> None:
    assert after_shifts(1, PERIOD) == 1
    assert all(after_shifts(1, PERIOD // prime) != 1 for prime in FACTORS)


# --- seeds and uniform numbers --------------------------------------------------------------------


def test_seeds_are_spread_by_split_mix() -> None:
    """The first three numbers of SplitMix64 from 1234567, as its published tests have them."""
    published = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    assert seeded(1234567, 3, 1).tolist() == [[n >> 32] for n in published]
    assert seeded(1234567, 1, 3).tolist() == [[n >> 32 for n in published]]


def test_every_lane_has_a_state_of_its_own() -> None:
    for generator in Generator:
        states = seeded(INITIAL_SEED, 128, generator.value)
        assert len({tuple(s) for s in states.tolist()}) == 128
        assert not np.array_equal(states, seeded(INITIAL_SEED + 1, 128, generator.value))


@pytest.mark.parametrize(
    ("number", "want"),
    [(0, 0.0), (1, 2**-23), (0x400000, 0.5), (0x7FFFFF, 1 - 2**-23), (0xFF800000, 0.0)],
)
def test_23_bits_become_a_fraction(number: int, want: float) -> None:
    assert uniform(words([number])).tolist() == [[want]]


@pytest.mark.parametrize("generator", list(Generator))
def test_numbers_are_evenly_distributed(generator: Generator) -> None:
    """Each of 16 parts of the range, of which 2^17 numbers have 8192 +- 88, and each bit."""
    numbers, _ = draw(seeded(7, 128, generator.value), 1024)
    counts = np.bincount((numbers >> np.uint32(28)).ravel(), minlength=16)
    assert np.abs(counts - 8192).max() < 5 * 88
    for bit in range(32):
        share = (numbers >> np.uint32(bit) & np.uint32(1)).mean()
        assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(numbers.size)


@pytest.mark.parametrize("generator", list(Generator))
def test_drawing_goes_on_where_it_ended(generator: Generator) -> None:
    start = seeded(3, 5, generator.value)
    whole, last = draw(start, 24)
    first, middle = draw(start, 8)
    second, end = draw(middle, 16)
    assert np.array_equal(np.hstack([first, second]), whole)
    assert np.array_equal(end, last)
    assert np.array_equal(start, seeded(3, 5, generator.value))
