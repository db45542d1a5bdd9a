"""Random numbers: drawing them, dropping elements by them, and the state they come from.

The vector engine and GpSimd have a generator each, with a state in every partition that stays from
one instruction to the next. What the generators compute is in `generator`.
"""

from __future__ import annotations

from math import isfinite
from typing import Final

import numpy as np

from opennki.base.codes import NKI2106, NKI2107, NKI2113, NKI2116, NKI2121, NKI2124, NKI6018
from opennki.base.diag import Problem, Problems, problem
from opennki.base.dtypes import (
    FLOATS,
    bfloat16,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from opennki.ir import (
    ON_CHIP,
    PARTITIONS,
    SBUF,
    Inst,
    Read,
    Register,
    View,
    attr,
    fixed_size,
    inp,
    instruction,
    out,
    state,
)
from opennki.ir.scalar import Array
from opennki.target import CAYMAN, COREV4, SUNDA, Target

from .enums import Engine
from .generator import INITIAL_SEED, Generator, draw, generator_of, seeded, uniform
from .opcheck import is_float32

INTEGERS: Final = frozenset({int8, int16, int32, uint8, uint16, uint32})
UNIFORM: Final = INTEGERS | {
    float8_e4m3, float8_e5m2, float16, bfloat16, float32, tfloat32,
}  # fmt: skip
SEEDS: Final = frozenset({uint32, int32, float32, tfloat32})
"""Dtypes of 32 bits whose elements are single values."""


class Random(Inst):
    """Base of the instructions that use their engine's generator, which the target decides."""

    __slots__ = ()
    generator: Generator

    def prepare(self, t: Target) -> None:
        """The target and the engine say which generator it is."""
        found = generator_of(self.engine or self.default_engine(t), t)
        self.generator = found  # type: ignore[misc]  # a field of every class

    def initial_state(self) -> Array:
        """What the generator's state is when a kernel starts."""
        return seeded(INITIAL_SEED, PARTITIONS, self.generator.value)

    def _generator_problems(self, t: Target) -> Problems:
        """Text may name a generator, but the engine has the one that it has."""
        want = generator_of(self.engine or self.default_engine(t), t)
        if self.generator is not want:
            yield _beyond(self, "generator", self.generator, want.name)


@instruction(
    "rng", emit="rng", bir="Rng", klr="Rng", engines=(Engine.DVE, Engine.POOL), since=SUNDA,
)  # fmt: skip
class RngOp(Random):
    """Fill `dst` with random bits: 32 are drawn per element, and the lowest of them are kept.

    The vector engine is the default, GpSimd can do it from trn2 on. Every call goes on where the
    one before on the same engine ended. BIR has a Memset in mode Random for it on the vector
    engine, and Rng on GpSimd.

    Source: NKI ISA reference, rng; BIR data model, Rng and MemsetMode. Model: which generator,
    where it starts and in which order elements take its numbers, see `isa/generator.py`; the lane
    of a partition is that of `dst`.
    """

    dst: View = out(ON_CHIP, "P F", INTEGERS)
    generator: Generator = attr(Generator, Generator.LFSR, bir="", surface=False)
    states: Array = state(Register.RANDOM)
    engine_default = Engine.DVE

    def check(self, t: Target) -> Problems:
        if self.engine is Engine.POOL and not t.has("gpsimd_random"):
            yield problem(
                NKI2113, inst=self.spec.label, got="gpsimd", allowed="vector",
                why="GpSimd makes random numbers from trn2 on",
            )  # fmt: skip
        else:
            yield from self._generator_problems(t)

    def sem(self, states: Array) -> tuple[Array, Array]:
        numbers, after = draw(states, self.dst.free_size)
        dtype = self.dst.dtype
        kept = numbers.astype(f"u{dtype.itemsize}")
        return kept.view(dtype.np), after


@instruction(
    "rand2", emit="rand2", bir="Rand2", klr="Rand2", engines=(Engine.DVE,), since=COREV4,
)  # fmt: skip
class Rand2Op(Random):
    """Fill `dst` with numbers drawn evenly from `min` to `max`.

    ``dst = min + (max - min) * u`` in float32, where u is from 0 up to, not including, 1 in steps
    of 2^-23: the lower 23 bits of a number of the generator. The result is rounded to the dtype of
    `dst`, so that it may be `max`. `min` and `max` are numbers or float32 (P, 1) tiles, `min` the
    smaller; the simulator warns with NKI6018 where tiles are not so.

    Source: NKI ISA reference, rand2; numerics of the ISA, "Random numbers".
    """

    dst: View = out(ON_CHIP, "P F", UNIFORM)
    min: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True)
    max: View | float = inp(ON_CHIP, "P 1", frozenset({float32}), number=True)
    generator: Generator = attr(Generator, Generator.XORWOW_4, bir="", surface=False)
    states: Array = state(Register.RANDOM)

    def check(self, t: Target) -> Problems:
        given = {"min": self.min, "max": self.max}
        numbers = {name: v for name, v in given.items() if not isinstance(v, View)}
        for name, value in numbers.items():
            if not is_float32(value):
                yield problem(NKI2121, operand=name, got=value, inst=self.spec.label)
                return
            if not isfinite(value):
                yield _beyond(self, name, value, "finite numbers")
                return
        if len(numbers) == 2 and not numbers["min"] < numbers["max"]:
            yield _beyond(self, "min", numbers["min"], f"numbers below max, {numbers['max']}")
        yield from self._generator_problems(t)

    def watch(self, low: Array, high: Array, states: Array) -> Problems:
        """Ranges that are none."""
        wrong = ~(np.asarray(low) < np.asarray(high))
        if wrong.any():
            name = "min" if isinstance(self.min, View) else "max"
            given = low if name == "min" else high
            yield _odd(self, name, given, wrong, "no valid end of a range from min to max")

    def sem(self, low: Array, high: Array, states: Array) -> tuple[Array, Array]:
        numbers, after = draw(states, self.dst.free_size)
        return low + (high - low) * uniform(numbers), after


def _beyond(inst: Inst, name: str, got: object, allowed: str) -> Problem:
    return problem(NKI2124, name=name, got=got, allowed=allowed, inst=inst.spec.label)


def _odd(inst: Inst, operand: str, values: Array, wrong: Array, what: str) -> Problem:
    """The warning that some partitions of a tile of parameters have a `wrong` value."""
    rows = np.flatnonzero(wrong)
    value = np.broadcast_to(values, (len(np.atleast_1d(wrong)), 1))[rows[0], 0]
    return problem(
        NKI6018, operand=operand, count=len(rows), partition=int(rows[0]), value=float(value),
        what=what, inst=inst.spec.label,
    )  # fmt: skip


@instruction(
    "dropout", emit="dropout", bir="Dropout", klr="Dropout", engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class DropoutMaskInst(Random):
    """Put zeros in the place of random elements: each is dropped with the probability `prob`.

    An element is dropped if its random number r, of 32 bits, is less than ``prob * 2^32``, which is
    compared exactly; so 0 drops none and 1 drops all. What is kept keeps its bits: nothing is
    scaled by ``1 / (1 - prob)``. `prob` is a number or a (P, 1) tile with one probability for each
    partition, float32 beside integers and any floating-point dtype beside floats. In a tile, what
    is below 0 (or NaN) counts as 0 and what is above 1 as 1; the simulator warns of it (NKI6018).

    With `is_keep_threshold`, which only BIR has, `prob` is the probability of being kept.

    Source: NKI ISA reference, dropout; numerics of the ISA, "Random numbers". Model: the comparison
    is not published, nor that `is_keep_threshold` keeps what is below it. Packed dtypes count as
    floats, and an element of four is dropped as a whole.
    """

    dst: View = out(ON_CHIP, "P F")
    data: View = inp(ON_CHIP, "P F")
    prob: View | float = inp(ON_CHIP, "P 1", FLOATS, read=Read.F32, number=True)
    is_keep_threshold: bool = attr(bool, False, surface=False)
    generator: Generator = attr(Generator, Generator.LFSR, bir="", surface=False)
    states: Array = state(Register.RANDOM)

    def check(self, t: Target) -> Problems:
        label, dtype = self.spec.label, self.data.dtype
        if self.dst.dtype != dtype:
            yield problem(
                NKI2116, first="dst", first_dtype=self.dst.dtype, second="data",
                second_dtype=dtype, inst=label,
            )  # fmt: skip
        if isinstance(self.prob, View):
            if dtype.is_int and self.prob.dtype != float32:
                yield problem(
                    NKI2106, operand="prob", got=self.prob.dtype, allowed="float32",
                    inst=f"{label} of integers", target=t.title,
                )  # fmt: skip
        elif not is_float32(self.prob):
            yield problem(NKI2121, operand="prob", got=self.prob, inst=label)
        elif not 0 <= self.prob <= 1:
            yield _beyond(self, "prob", self.prob, "numbers from 0 to 1")
        yield from self._generator_problems(t)

    def read_mode(self) -> Read:
        """Bits, as kept elements are moved."""
        return Read.RAW

    def watch(self, data: Array, prob: Array, states: Array) -> Problems:
        """Probabilities that are none."""
        wrong = ~((prob >= 0) & (prob <= 1))
        if np.any(wrong):
            yield _odd(self, "prob", prob, wrong, "no probability")

    def sem(self, data: Array, prob: Array, states: Array) -> tuple[Array, Array]:
        numbers, after = draw(states, self.dst.free_size)
        below = numbers < np.asarray(prob, np.float64) * 2.0**32
        kept = below if self.is_keep_threshold else ~below
        return np.where(kept, data, np.zeros((), data.dtype)), after


@instruction(
    "set_rng_seed", emit="set_rng_seed", bir="SetRandState", klr="SetRngSeed",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class SundaSetRandState(Random):
    """Seed the generator of the vector engine, in all partitions, with the bits of one value.

    `src_seeds` is a (1, 1) tile of 32 bits. The same seed gives the same numbers afterwards; every
    partition has numbers of its own.

    Source: NKI ISA reference, set_rng_seed. Model: how the seed is spread over partitions, see
    `seeded` in `isa/generator.py`; any dtype of 32 bits that is not packed will do.
    """

    src_seeds: View = inp(ON_CHIP, "1 1", SEEDS, read=Read.RAW)
    generator: Generator = attr(Generator, Generator.LFSR, bir="", surface=False)
    states: Array = state(Register.RANDOM, everywhere=True)

    def check(self, t: Target) -> Problems:
        yield from self._generator_problems(t)

    def sem(self, src_seeds: Array, states: Array) -> tuple[Array]:
        seed = int(np.ascontiguousarray(src_seeds).view(np.uint32)[0, 0])
        return (seeded(seed, *states.shape),)


class RandomState(Random):
    """Base of the two instructions that move a generator's state."""

    __slots__ = ()

    def _state_problems(self, name: str, t: Target) -> Problems:
        """The engine has a state that can be moved, and the tile has its size."""
        if self.engine is Engine.DVE and not t.has("vector_xorwow"):
            yield problem(
                NKI2113, inst=self.spec.label, got="vector", allowed="gpsimd",
                why="the vector engine gives and takes its state from trn3 on",
            )  # fmt: skip
            return
        yield from self._generator_problems(t)
        shape = getattr(self, name).shape
        want = (shape[0], generator_of(self.engine or self.default_engine(t), t).value)
        if shape != want:
            yield problem(NKI2107, inst=self.spec.label, **fixed_size(name, shape, want))


@instruction(
    "rand_set_state", emit="rand_set_state", bir="RandSetState", klr="RandSetState",
    engines=(Engine.POOL, Engine.DVE), since=CAYMAN,
)  # fmt: skip
class RandSetState(RandomState):
    """Set the state of an engine's generator in the partitions of `src_seeds`.

    `src_seeds` is uint32 (P, 6) for GpSimd, which is the default, and (P, 24) for the vector engine
    of trn3: the words of one XORWOW state, or of four one after the other.

    Source: NKI ISA reference, rand_set_state; trn3 architecture guide, "XORWOW-based PRNG".
    """

    src_seeds: View = inp(SBUF, "P *", frozenset({uint32}), read=Read.RAW)
    generator: Generator = attr(Generator, Generator.XORWOW, bir="", surface=False)
    states: Array = state(Register.RANDOM)
    engine_default = Engine.POOL

    def check(self, t: Target) -> Problems:
        yield from self._state_problems("src_seeds", t)

    def sem(self, src_seeds: Array, states: Array) -> tuple[Array]:
        return (src_seeds,)


@instruction(
    "rand_get_state", emit="rand_get_state", bir="RandGetState", klr="RandGetState",
    engines=(Engine.POOL, Engine.DVE), since=CAYMAN,
)  # fmt: skip
class RandGetState(RandomState):
    """Store the state of an engine's generator in the partitions of `dst`.

    `dst` is uint32 (P, 6) for GpSimd, which is the default, and (P, 24) for the vector engine of
    trn3. `rand_set_state` with these words makes the same numbers follow again.

    Source: NKI ISA reference, rand_get_state.
    """

    dst: View = out(ON_CHIP, "P *", frozenset({uint32}))
    generator: Generator = attr(Generator, Generator.XORWOW, bir="", surface=False)
    states: Array = state(Register.RANDOM)
    engine_default = Engine.POOL

    def check(self, t: Target) -> Problems:
        yield from self._state_problems("dst", t)

    def sem(self, states: Array) -> tuple[Array, Array]:
        return states.copy(), states
