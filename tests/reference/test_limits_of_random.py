"""Published rules of the random calls, as kernels write them, from both sides: kept, broken."""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, I32, U32 = nl.float32, nl.bfloat16, nl.int32, nl.uint32
VECTOR, GPSIMD = nisa.engine.vector, nisa.engine.gpsimd


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def drop(data=t, prob=0.5, **more):
    tile = data()
    value = prob() if callable(prob) else prob
    nisa.dropout(**({"dst": t(*tile.shape, dtype=tile.dtype), "data": tile, "prob": value} | more))


# What the rule says: its code, calls that keep it, calls that break it; on every target.
EVERYWHERE = {
    "random bits are integers": (
        "NKI2106",
        [lambda d=d: nisa.rng(t(dtype=d)) for d in (nl.int8, nl.int16, I32, nl.uint8, nl.uint16)],
        [lambda d=d: nisa.rng(t(dtype=d)) for d in (F32, BF16, nl.tfloat32, nl.bool_)],
    ),
    "random bits are written on the chip": (
        "NKI2105",
        [lambda: nisa.rng(t(dtype=U32)), lambda: nisa.rng(t(dtype=U32, buffer=nl.psum))],
        [lambda: nisa.rng(t(dtype=U32, buffer=nl.shared_hbm))],
    ),
    "random bits are made by two engines": (
        "NKI2113",
        [lambda: nisa.rng(t(dtype=U32), engine=VECTOR),
         lambda: nisa.rng(t(dtype=U32), engine=nisa.engine.unknown)],
        [lambda e=e: nisa.rng(t(dtype=U32), engine=e)
         for e in (nisa.engine.scalar, nisa.engine.tensor, nisa.engine.sync)],
    ),
    "a seed is one value": (
        "NKI2107",
        [lambda: nisa.set_rng_seed(t(1, 1, dtype=I32))],
        [lambda: nisa.set_rng_seed(t(1, 2, dtype=I32)),
         lambda: nisa.set_rng_seed(t(32, 1, dtype=I32))],
    ),
    "a seed has 32 bits": (
        "NKI2106",
        [lambda d=d: nisa.set_rng_seed(t(1, 1, dtype=d)) for d in (I32, U32, F32)],
        [lambda d=d: nisa.set_rng_seed(t(1, 1, dtype=d)) for d in (nl.int16, nl.uint8, BF16)],
    ),
    "a seed is on the chip": (
        "NKI2105",
        [lambda: nisa.set_rng_seed(t(1, 1, dtype=I32, buffer=nl.psum))],
        [lambda: nisa.set_rng_seed(t(1, 1, dtype=I32, buffer=nl.shared_hbm))],
    ),
    "dropout does not convert": (
        "NKI2116",
        [drop, lambda: drop(lambda: t(dtype=nl.uint8), dst=t(dtype=nl.uint8))],
        [lambda: drop(dst=t(dtype=BF16)), lambda: drop(lambda: t(dtype=I32), dst=t(dtype=U32))],
    ),
    "probabilities beside integers are float32": (
        "NKI2106",
        [lambda: drop(lambda: t(dtype=I32), lambda: t(128, 1)),
         lambda: drop(t, lambda: t(128, 1, dtype=BF16))],
        [lambda: drop(lambda: t(dtype=I32), lambda: t(128, 1, dtype=BF16)),
         lambda: drop(t, lambda: t(128, 1, dtype=I32))],
    ),
    "a partition has one probability": (
        "NKI2107",
        [lambda: drop(t, lambda: t(128, 1))],
        [lambda: drop(t, t), lambda: drop(t, lambda: t(128, 2))],
    ),
    "probabilities are from 0 to 1": (
        "NKI2124",
        [lambda: drop(t, 0), lambda: drop(t, 1), lambda: drop(t, 1.0), lambda: drop(t, 0.1)],
        [lambda: drop(t, -0.1), lambda: drop(t, 1.1), lambda: drop(t, float("nan"))],
    ),
}  # fmt: skip


def state(count, dtype=U32, buffer=nl.sbuf):
    return t(128, count, dtype=dtype, buffer=buffer)


# On one target: code, target, legal calls, illegal calls.
ON = {
    "GpSimd makes random bits from trn2 on": (
        "NKI2113", ("trn1",), [lambda: nisa.rng(t(dtype=U32))],
        [lambda: nisa.rng(t(dtype=U32), engine=GPSIMD)],
    ),
    "GpSimd makes random bits in SBUF": (
        "NKI2114", ("trn2",), [lambda: nisa.rng(t(dtype=U32), engine=GPSIMD)],
        [lambda: nisa.rng(t(dtype=U32, buffer=nl.psum), engine=GPSIMD)],
    ),
    "states are moved from trn2 on": (
        "NKI2108", ("trn1",), [],
        [lambda: nisa.rand_set_state(state(6)), lambda: nisa.rand_get_state(state(6))],
    ),
    "GpSimd moves 6 words and is the default": (
        "NKI2107", ("trn2",),
        [lambda: nisa.rand_set_state(state(6)), lambda: nisa.rand_get_state(state(6), GPSIMD)],
        [lambda: nisa.rand_set_state(state(24)), lambda: nisa.rand_get_state(state(5))],
    ),
    "the vector engine moves its state from trn3 on": (
        "NKI2113", ("trn2",), [],
        [lambda: nisa.rand_set_state(state(24), engine=VECTOR),
         lambda: nisa.rand_get_state(state(24), engine=VECTOR)],
    ),
    "the vector engine moves 24 words": (
        "NKI2107", ("trn3",),
        [lambda: nisa.rand_set_state(state(24), VECTOR),
         lambda: nisa.rand_get_state(state(24), VECTOR)],
        [lambda: nisa.rand_set_state(state(6), VECTOR),
         lambda: nisa.rand_get_state(t(128, 4, 6, dtype=U32), VECTOR)],
    ),
    "states are uint32": (
        "NKI2106", ("trn3",), [lambda: nisa.rand_get_state(state(6))],
        [lambda: nisa.rand_set_state(state(6, I32)), lambda: nisa.rand_get_state(state(6, F32))],
    ),
    "states are set from SBUF": (
        "NKI2105", ("trn3",), [lambda: nisa.rand_get_state(state(24, buffer=nl.psum), VECTOR)],
        [lambda: nisa.rand_set_state(state(24, buffer=nl.psum), VECTOR),
         lambda: nisa.rand_set_state(state(6, buffer=nl.shared_hbm))],
    ),
    "GpSimd stores states in SBUF": (
        "NKI2114", ("trn3",), [], [lambda: nisa.rand_get_state(state(6, buffer=nl.psum))],
    ),
    "ranges are of trn3": ("NKI2108", ("trn2",), [], [lambda: nisa.rand2(t(), 0.0, 1.0)]),
    "ranges have a list of dtypes": (
        "NKI2106", ("trn3",),
        [lambda d=d: nisa.rand2(t(dtype=d), 0.0, 1.0)
         for d in (F32, BF16, nl.float8_e4m3, nl.tfloat32, nl.int8, U32)],
        [lambda d=d: nisa.rand2(t(dtype=d), 0.0, 1.0) for d in (nl.float8_e4m3fn, nl.bool_)],
    ),
    "ends of ranges are float32": (
        "NKI2106", ("trn3",), [lambda: nisa.rand2(t(), t(128, 1), t(128, 1))],
        [lambda: nisa.rand2(t(), t(128, 1, dtype=BF16), 1.0),
         lambda: nisa.rand2(t(), 0.0, t(128, 1, dtype=I32))],
    ),
    "ranges go up": (
        "NKI2124", ("trn3",), [lambda: nisa.rand2(t(buffer=nl.psum), -1, 1)],
        [lambda: nisa.rand2(t(), 1.0, 1.0), lambda: nisa.rand2(t(), 1.0, 0.0)],
    ),
}  # fmt: skip

RULES = {**EVERYWHERE, **ON}


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
