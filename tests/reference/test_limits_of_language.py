"""Published rules of `nl`, experimental as it is: calls that keep a rule, or break it."""

from __future__ import annotations

import opennki.api.language as nl

F32, BF16, I32, U8 = nl.float32, nl.bfloat16, nl.int32, nl.uint8


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def psum(*shape):
    return t(*shape, buffer=nl.psum)


def hbm(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=nl.shared_hbm)


# What the rule says: its code, calls that keep it, calls that break it.
RULES = {
    "divide, mod, fmod and power take tiles and numbers": (
        "NKI1007",
        [lambda f=f, y=y: getattr(nl, f)(t(), y()) for f in ("divide", "mod", "fmod", "power")
         for y in (t, lambda: 2.0)],
        [lambda: nl.divide(1.0, 2.0), lambda: nl.power(2.0, "x")],
    ),
    "functions of one tile read PSUM, too": (
        "NKI2105",
        [lambda f=f: getattr(nl, f)(psum()) for f in ("rsqrt", "exp", "reciprocal", "sin")],
        [lambda f=f: getattr(nl, f)(hbm()) for f in ("rsqrt", "exp", "reciprocal", "sin")],
    ),
    "partitions are not broadcast": (
        "NKI2101",
        [lambda: nl.add(t(), nl.broadcast_to(t(1, 8), (128, 8)))],
        [lambda: nl.add(t(), t(1, 8)), lambda: nl.where(t(), t(), t(1, 8))],
    ),
    "one element of each partition is repeated, other sizes are not": (
        "NKI2127",
        [lambda: nl.add(t(), t(128, 1)), lambda: nl.maximum(t(128, 2, 4), t(128, 2, 4))],
        [lambda: nl.add(t(), t(128, 2)), lambda: nl.maximum(t(128, 2, 4), t(128, 4, 2))],
    ),
    "matmul contracts the free dimension of x, or its partitions if it is transposed": (
        "NKI2103",
        [lambda: nl.matmul(t(64, 128), t(128, 512)),
         lambda: nl.matmul(t(128, 64), t(128, 512), transpose_x=True)],
        [lambda: nl.matmul(t(64, 128), t(64, 512)),
         lambda: nl.matmul(t(128, 64), t(64, 512), transpose_x=True)],
    ),
    "matmul reads SBUF": (
        "NKI2105",
        [lambda: nl.matmul(t(64, 128), t(128, 8))],
        [lambda: nl.matmul(t(64, 128), psum(128, 8))],
    ),
    "transpose takes up to 128 columns": (
        "NKI2212",
        [lambda: nl.transpose(t(32, 128))],
        [lambda: nl.transpose(t(32, 129))],
    ),
    "a seed is one value": (
        "NKI2107",
        [lambda: nl.random_seed(t(1, 1, dtype=I32)), lambda: nl.random_seed(psum(1, 1))],
        [lambda: nl.random_seed(t(1, 2, dtype=I32)), lambda: nl.random_seed(t(2, 1, dtype=I32))],
    ),
    "a seed has 32 bits": (
        "NKI2106",
        [lambda: nl.random_seed(t(1, 1, dtype=nl.uint32))],
        [lambda: nl.random_seed(t(1, 1, dtype=BF16)), lambda: nl.random_seed(t(1, 1, dtype=U8))],
    ),
    "a seed is a tile": (
        "NKI1007",
        [lambda: nl.random_seed(nl.full((1, 1), 7, I32))],
        [lambda: nl.random_seed(7)],
    ),
    "reductions fold free dimensions": (
        "NKI2401",
        [lambda: nl.sum(t(128, 2, 4), axis=[1, 2]), lambda: nl.max(t(), axis=-1)],
        [lambda: nl.sum(t(128, 2, 4), axis=[0, 1, 2]), lambda: nl.mean(t(), axis=0)],
    ),
    "stores and loads move between HBM and SBUF": (
        "NKI2105",
        [lambda: nl.store(hbm(), t()), lambda: nl.load(hbm())],
        [lambda: nl.store(hbm(), psum()), lambda: nl.store(t(), t()), lambda: nl.load(t())],
    ),
    "a store has the shape of what is stored": (
        "NKI2107",
        [lambda: nl.store(hbm(), t())],
        [lambda: nl.store(hbm(), t(128, 7)), lambda: nl.store(hbm(64, 8), t())],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
