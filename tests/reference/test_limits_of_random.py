"""Published rules of the random calls, as kernels write them, from both sides: kept, broken."""

from __future__ import annotations

import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, I32, U32 = nl.float32, nl.bfloat16, nl.int32, nl.uint32
ALL = ("trn1", "trn2", "trn3")
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


# On one target: name, code, legal calls, illegal calls.
ON = {
    "GpSimd makes random bits from trn2 on": (
        "trn1", "NKI2113", [lambda: nisa.rng(t(dtype=U32))],
        [lambda: nisa.rng(t(dtype=U32), engine=GPSIMD)],
    ),
    "GpSimd makes random bits in SBUF": (
        "trn2", "NKI2114", [lambda: nisa.rng(t(dtype=U32), engine=GPSIMD)],
        [lambda: nisa.rng(t(dtype=U32, buffer=nl.psum), engine=GPSIMD)],
    ),
    "states are moved from trn2 on": (
        "trn1", "NKI2108", [],
        [lambda: nisa.rand_set_state(state(6)), lambda: nisa.rand_get_state(state(6))],
    ),
    "GpSimd moves 6 words and is the default": (
        "trn2", "NKI2107",
        [lambda: nisa.rand_set_state(state(6)), lambda: nisa.rand_get_state(state(6), GPSIMD)],
        [lambda: nisa.rand_set_state(state(24)), lambda: nisa.rand_get_state(state(5))],
    ),
    "the vector engine moves its state from trn3 on": (
        "trn2", "NKI2113", [],
        [lambda: nisa.rand_set_state(state(24), engine=VECTOR),
         lambda: nisa.rand_get_state(state(24), engine=VECTOR)],
    ),
    "the vector engine moves 24 words": (
        "trn3", "NKI2107",
        [lambda: nisa.rand_set_state(state(24), VECTOR),
         lambda: nisa.rand_get_state(state(24), VECTOR)],
        [lambda: nisa.rand_set_state(state(6), VECTOR),
         lambda: nisa.rand_get_state(t(128, 4, 6, dtype=U32), VECTOR)],
    ),
    "states are uint32": (
        "trn3", "NKI2106", [lambda: nisa.rand_get_state(state(6))],
        [lambda: nisa.rand_set_state(state(6, I32)), lambda: nisa.rand_get_state(state(6, F32))],
    ),
    "states are set from SBUF": (
        "trn3", "NKI2105", [lambda: nisa.rand_get_state(state(24, buffer=nl.psum), VECTOR)],
        [lambda: nisa.rand_set_state(state(24, buffer=nl.psum), VECTOR),
         lambda: nisa.rand_set_state(state(6, buffer=nl.shared_hbm))],
    ),
    "GpSimd stores states in SBUF": (
        "trn3", "NKI2114", [], [lambda: nisa.rand_get_state(state(6, buffer=nl.psum))],
    ),
    "ranges are of trn3": ("trn2", "NKI2108", [], [lambda: nisa.rand2(t(), 0.0, 1.0)]),
    "ranges have a list of dtypes": (
        "trn3", "NKI2106",
        [lambda d=d: nisa.rand2(t(dtype=d), 0.0, 1.0)
         for d in (F32, BF16, nl.float8_e4m3, nl.tfloat32, nl.int8, U32)],
        [lambda d=d: nisa.rand2(t(dtype=d), 0.0, 1.0) for d in (nl.float8_e4m3fn, nl.bool_)],
    ),
    "ends of ranges are float32": (
        "trn3", "NKI2106", [lambda: nisa.rand2(t(), t(128, 1), t(128, 1))],
        [lambda: nisa.rand2(t(), t(128, 1, dtype=BF16), 1.0),
         lambda: nisa.rand2(t(), 0.0, t(128, 1, dtype=I32))],
    ),
    "ranges go up": (
        "trn3", "NKI2124", [lambda: nisa.rand2(t(buffer=nl.psum), -1, 1)],
        [lambda: nisa.rand2(t(), 1.0, 1.0), lambda: nisa.rand2(t(), 1.0, 0.0)],
    ),
}  # fmt: skip

TABLE = [
    *((rule, ALL, *entry) for rule, entry in EVERYWHERE.items()),
    *((rule, (target,), *entry) for rule, (target, *entry) in ON.items()),
]
LEGAL = [
    pytest.param(call, targets, id=f"{rule} {k}")
    for rule, targets, _, legal, _ in TABLE
    for k, call in enumerate(legal)
]
ILLEGAL = [
    pytest.param(call, targets, code, id=f"{rule} {k}")
    for rule, targets, code, _, illegal in TABLE
    for k, call in enumerate(illegal)
]


@pytest.mark.parametrize(("call", "targets"), LEGAL)
def test_a_call_that_keeps_the_rule_is_accepted(rules, call, targets):
    assert [rules(call, target) for target in targets] == [[]] * len(targets)


@pytest.mark.parametrize(("call", "targets", "code"), ILLEGAL)
def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(rules, call, targets, code):
    assert [rules(call, target) for target in targets] == [[code]] * len(targets)
