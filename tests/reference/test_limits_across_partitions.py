"""Published rules of GpSimd and of what crosses partitions: calls that keep a rule, or break it."""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, I32, U8 = nl.float32, nl.bfloat16, nl.int32, nl.uint8
ALL = ("trn1", "trn2", "trn3")


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def hbm(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=nl.shared_hbm)


def psum(*shape):
    return t(*shape, buffer=nl.psum)


def shuffle(src, **more):
    nisa.nc_stream_shuffle(**({"dst": t(), "src": src, "shuffle_mask": [*range(32)]} | more))


def fold(data, op=nl.add, **more):
    nisa.tensor_partition_reduce(**({"dst": t(1, 8), "op": op, "data": data} | more))


def bounds(segment_ids, **more):
    fields = {"dst": t(1, 2, 64, dtype=I32), "segment_ids": segment_ids}
    nisa.sequence_bounds(**(fields | more))


# What the rule says: its code, calls that keep it, calls that break it.
RULES = {
    "a shuffle does not cast": (
        "NKI2116",
        [lambda: shuffle(t(dtype=BF16), dst=t(dtype=BF16))],
        [lambda: shuffle(t(dtype=BF16)), lambda: shuffle(t(dtype=I32))],
    ),
    "a shuffle has as many elements as it reads": (
        "NKI2102",
        [lambda: shuffle(t(128, 2, 4))],
        [lambda: shuffle(t(128, 7)), lambda: shuffle(t(128, 1))],
    ),
    "the mask of a shuffle has 32 entries up to 31, or 255": (
        "NKI2124",
        [lambda: shuffle(t(), shuffle_mask=[31] * 32), lambda: shuffle(t(), shuffle_mask=(0,) * 32),
         lambda: shuffle(t(), shuffle_mask=[255] * 32)],
        [lambda: shuffle(t(), shuffle_mask=[32] * 32), lambda: shuffle(t(), shuffle_mask=[-1] * 32),
         lambda: shuffle(t(), shuffle_mask=[254] * 32), lambda: shuffle(t(), shuffle_mask=[0] * 33),
         lambda: shuffle(t(), shuffle_mask=[0] * 31), lambda: shuffle(t(), shuffle_mask=[])],
    ),
    "the mask of a shuffle has integers": (
        "NKI1007",
        [lambda: shuffle(t(), shuffle_mask=[1] * 32)],
        [lambda: shuffle(t(), shuffle_mask=[0.5] * 32), lambda: shuffle(t(), shuffle_mask=None)],
    ),
    "active partitions of a shuffle decide where it starts": (
        "NKI2112",
        [lambda: shuffle(t()[32:64], dst=t()[96:128]), lambda: shuffle(t()[64:128], dst=t()[0:64]),
         lambda: shuffle(t()[0:64], dst=t()[64:96]), lambda: shuffle(t()[0:96], dst=t()[0:96])],
        [lambda: shuffle(t()[32:96], dst=t()[0:64]), lambda: shuffle(t()[0:64], dst=t()[32:64]),
         lambda: shuffle(t()[0:96], dst=t()[64:96]), lambda: shuffle(t()[8:40], dst=t()[0:32])],
    ),
    "a shuffle copies what there is": (
        "NKI2215",
        [lambda: shuffle(t(1, 8), dst=t(32, 8), shuffle_mask=[0] * 32)],
        [lambda: shuffle(t(1, 8), shuffle_mask=[0] * 32), lambda: shuffle(t(32, 8))],
    ),
    "a shuffle is on the chip": (
        "NKI2105",
        [lambda: shuffle(psum()), lambda: shuffle(t(), dst=psum()),
         lambda: shuffle(psum(), dst=psum())],
        [lambda: shuffle(hbm()), lambda: shuffle(t(), dst=hbm())],
    ),
    "partitions are added, averaged, compared, or combined by bits": (
        "NKI2117",
        [lambda: fold(t()), lambda: fold(t(), nl.average), lambda: fold(t(), nl.maximum),
         lambda: fold(t(dtype=I32), nl.bitwise_or, dst=t(1, 8, dtype=I32)),
         lambda: fold(t(dtype=U8), nl.bitwise_and, dst=t(1, 8, dtype=U8))],
        [lambda: fold(t(), nl.minimum), lambda: fold(t(), nl.multiply),
         lambda: fold(t(), nl.subtract), lambda: fold(t(), nl.logical_or),
         lambda: fold(t(), nl.exp),
         lambda: fold(t(dtype=I32), nl.bitwise_xor, dst=t(1, 8, dtype=I32))],
    ),
    "partitions of floats have no bits to combine": (
        "NKI2119",
        [lambda: fold(t(dtype=I32), nl.bitwise_or, dst=t(1, 8, dtype=I32))],
        [lambda: fold(t(), nl.bitwise_or), lambda: fold(t(dtype=BF16), nl.bitwise_and)],
    ),
    "bits of partitions are not cast": (
        "NKI2116",
        [lambda: fold(t(dtype=I32), dst=t(1, 8, dtype=BF16))],
        [lambda: fold(t(dtype=U8), nl.bitwise_or, dst=t(1, 8, dtype=I32))],
    ),
    "partitions become one": (
        "NKI2107",
        [lambda: fold(t(128, 2, 4), dst=t(1, 2, 4))],
        [lambda: fold(t(), dst=t()), lambda: fold(t(), dst=t(2, 8))],
    ),
    "what is folded across partitions keeps its elements": (
        "NKI2102",
        [lambda: fold(t(128, 2, 4))],
        [lambda: fold(t(), dst=t(1, 1)), lambda: fold(t(128, 9))],
    ),
    "partitions are folded in groups": (
        "NKI2414",
        [lambda: fold(t(32, 8)), lambda: fold(t(96, 8))],
        [lambda: fold(t(31, 8)), lambda: fold(t(1, 8)), lambda: fold(t(48, 8))],
    ),
    "partitions are folded in SBUF": (
        "NKI2105",
        [lambda: fold(t())],
        [lambda: fold(psum()), lambda: fold(t(), dst=psum(1, 8)), lambda: fold(hbm()),
         lambda: fold(t(), dst=hbm(1, 8))],
    ),
    "bounds are two rows for one row of ids": (
        "NKI2107",
        [lambda: bounds(t(1, 64, dtype=I32)), lambda: bounds(t(1, 8, 8)),
         lambda: bounds(t(1, 1), dst=t(1, 2, 1))],
        [lambda: bounds(t(2, 64)), lambda: bounds(t(1, 63)), lambda: bounds(t(1, 128)),
         lambda: bounds(t(1, 64), dst=t(2, 2, 64)), lambda: bounds(t(1, 64), dst=t(1, 64, 2)),
         lambda: bounds(t(1, 64), dst=t(1, 64)), lambda: bounds(t(1, 64), dst=t(2, 64))],
    ),
    "ids and bounds are float32 or int32": (
        "NKI2106",
        [lambda: bounds(t(1, 64)), lambda: bounds(t(1, 64, dtype=I32), dst=t(1, 2, 64))],
        [lambda: bounds(t(1, 64, dtype=BF16)), lambda: bounds(t(1, 64, dtype=U8)),
         lambda: bounds(t(1, 64, dtype=nl.uint32)),
         lambda: bounds(t(1, 64), dst=t(1, 2, 64, dtype=BF16))],
    ),
    "ids and bounds are in SBUF": (
        "NKI2105",
        [lambda: bounds(t(1, 64))],
        [lambda: bounds(psum(1, 64)), lambda: bounds(t(1, 64), dst=psum(1, 2, 64)),
         lambda: bounds(hbm(1, 64))],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
