"""The random generators of the engines: their states, how they are seeded, and what they draw.

A state is a row of uint32 words for every partition; its width says which generator it is.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from opennki.ir.scalar import Array
from opennki.target import Target

from .enums import Engine, IsaEnum


class Generator(IsaEnum):
    """A generator; the value is the number of words of its state in one partition.

    LFSR: a shift register of 32 bits. XORWOW: Marsaglia's, five words that are shifted and one that
    counts. XORWOW_4: four of them side by side.
    Source: numerics of the ISA, "Random numbers"; NKI ISA reference, rand_set_state, for the words;
    trn3 architecture guide, "XORWOW-based PRNG".
    """

    LFSR = 1
    XORWOW = 6
    XORWOW_4 = 24


def generator_of(engine: Engine, t: Target) -> Generator:
    """The generator of an engine.

    Source: as `Generator`. The vector engine has a shift register up to gen3 and four XORWOW states
    from gen4 on; GpSimd has one XORWOW state.
    """
    if engine is Engine.POOL:
        return Generator.XORWOW
    return Generator.XORWOW_4 if t.has("vector_xorwow") else Generator.LFSR


# ---- seeds ---------------------------------------------------------------------------------------

INITIAL_SEED: Final = 42
"""What every generator is seeded with when a kernel starts.

Model: a device keeps what the kernel before left, and starts with ones in all bits, which would
make all partitions alike. The reference simulator seeds the host's generator with 42.
"""

_GAMMA: Final = 0x9E3779B97F4A7C15
_MIX: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def seeded(seed: int, lanes: int, words: int) -> Array:
    """The states that a 32-bit seed stands for: uint32 (lanes, words).

    They are the upper halves of consecutive numbers of SplitMix64, which starts at `seed`, lane
    after lane. Model: how an engine spreads a seed is not published; SplitMix64 is what is commonly
    used to seed generators of this family, and gives every lane a state of its own.
    """
    index = np.arange(1, lanes * words + 1, dtype=np.uint64)
    z = np.uint64(seed) + index * np.uint64(_GAMMA)
    for shift, factor in _MIX:
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(32)).astype(np.uint32).reshape(lanes, words)


# ---- numbers -------------------------------------------------------------------------------------


def draw(states: Array, count: int) -> tuple[Array, Array]:
    """`count` random uint32 numbers per lane (lanes, count), and the states after them.

    Four XORWOW states take turns, element f from state f modulo 4, and step together: what the last
    step has more than is asked for is lost. Model: the order is not published; the engine makes
    four numbers per lane and cycle.
    """
    lanes, words = states.shape
    if words == Generator.LFSR.value:
        return _lfsr(states, count)
    side_by_side = words // Generator.XORWOW.value
    each = states.reshape(lanes, side_by_side, -1)
    steps = -(-count // side_by_side)
    numbers, after = _xorwow(each, steps)
    return numbers.reshape(lanes, -1)[:, :count], after.reshape(lanes, words)


def _xorwow(states: Array, steps: int) -> tuple[Array, Array]:
    """`steps` numbers of every state (lanes, states, 6): uint32 (lanes, steps, states).

    One step: ``t = s0 ^ (s0 >> 2); s0, s1, s2, s3 = s1, s2, s3, s4;
    s4 = s4 ^ (s4 << 4) ^ t ^ (t << 1); s5 += 362437``, and the number is ``s4 + s5``.
    Source: numerics of the ISA, "Random numbers"; G. Marsaglia, Xorshift RNGs, 2003. Five words of
    zero, which would stay zero, count as 0, 0, 0, 0, 1. Model: when that is looked at is not
    published; here when numbers are drawn, so that a state is read back as it was set.
    """
    s = [states[..., k] for k in range(6)]
    stuck = (s[0] | s[1] | s[2] | s[3] | s[4]) == 0
    s[4] = np.where(stuck, np.uint32(1), s[4])
    numbers = np.empty((states.shape[0], steps, states.shape[1]), np.uint32)
    for step in range(steps):
        t = s[0] ^ (s[0] >> np.uint32(2))
        last = s[4] ^ (s[4] << np.uint32(4)) ^ t ^ (t << np.uint32(1))
        s = [*s[1:5], last, s[5] + np.uint32(362437)]
        numbers[:, step] = last + s[5]
    return numbers, np.stack(s, axis=-1)


TAPS: Final = (32, 22, 2, 1)
"""Bits of the shift register, 1 being the youngest, whose parity is shifted in.

Source: numerics of the ISA, "Random numbers". They belong to a primitive polynomial, so that every
state but zero is in one cycle of 2^32 - 1.
"""


def shifted(state: int) -> int:
    """The shift register one bit later."""
    parity = sum(state >> (tap - 1) for tap in TAPS) & 1
    return (state << 1 | parity) & 0xFFFFFFFF


@cache
def _leaps() -> Array:
    """What each value of each byte of a register contributes to it 32 bits later: uint32 (4, 256).

    Shifting is linear over exclusive or, so that it is enough to shift single bits.
    """
    columns = []
    for bit in range(32):
        state = 1 << bit
        for _ in range(32):
            state = shifted(state)
        columns.append(state)
    tables = np.zeros((4, 256), np.uint32)
    for bit, column in enumerate(columns):
        has = (np.arange(256) >> (bit % 8) & 1).astype(bool)
        tables[bit // 8, has] ^= np.uint32(column)
    return tables


def _lfsr(states: Array, count: int) -> tuple[Array, Array]:
    """`count` numbers of every register (lanes, 1): its contents after every 32 shifts.

    Model: an element takes 32 new bits; how many shifts it takes is not published. A register of
    zero, which would stay zero, counts as 1.
    """
    tables = _leaps()
    now = np.where(states[:, 0] == 0, np.uint32(1), states[:, 0])
    numbers = np.empty((len(states), count), np.uint32)
    for f in range(count):
        parts = [tables[k, now >> np.uint32(8 * k) & np.uint32(255)] for k in range(4)]
        numbers[:, f] = now = parts[0] ^ parts[1] ^ parts[2] ^ parts[3]
    return numbers, now[:, None]


def uniform(numbers: Array) -> Array:
    """Random uint32 as float32 from 0 up to, not including, 1, in steps of 2^-23.

    The lower 23 bits become the fraction of a number from 1 to 2, less 1.
    Source: numerics of the ISA, "Random numbers".
    """
    bits = numbers & np.uint32(FRACTION) | np.uint32(ONE)
    return bits.view(np.float32) - np.float32(1)


FRACTION: Final = 0x007FFFFF
ONE: Final = 0x3F800000
"""Bits of the fraction of a float32, and of the float32 1.0."""
