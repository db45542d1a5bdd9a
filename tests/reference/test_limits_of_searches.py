"""Published rules of the searches (max8 and relatives): a call that just keeps it, one not."""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, F16, I32 = nl.float32, nl.bfloat16, nl.float16, nl.int32
U8, U16, U32, PACKED = nl.uint8, nl.uint16, nl.uint32, nl.float8_e4m3fn_x4
ALL = ("trn1", "trn2", "trn3")


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def psum():
    return t(buffer=nl.psum)


def hbm(dtype=F32):
    return t(dtype=dtype, buffer=nl.shared_hbm)


def top(src, **more):
    nisa.max8(**({"dst": t(), "src": src} | more))


def find(data, **more):
    nisa.nc_find_index8(**({"dst": t(dtype=U32), "data": data, "vals": t()} | more))


def match(data, **more):
    fields = {"dst": t(*data.shape), "data": data, "vals": t(), "imm": 0.0}
    nisa.nc_match_replace8(**(fields | more))


# What the rule says: its code, calls that keep it, calls that break it.
RULES = {
    "searches are in up to 16384 elements": (
        "NKI2104",
        [lambda: find(t(128, 16384)), lambda: match(t(128, 16384)), lambda: top(t(128, 16384))],
        [lambda: find(t(128, 16385)), lambda: match(t(128, 16385)), lambda: top(t(128, 16385))],
    ),
    "searches are in at least 8 elements": (
        "NKI2412",
        [lambda: find(t(128, 8)), lambda: match(t(128, 2, 4)), lambda: top(t(128, 8))],
        [lambda: find(t(128, 7)), lambda: match(t(128, 7)), lambda: top(t(128, 7))],
    ),
    "searches are for 8 values": (
        "NKI2107",
        [lambda: find(t(128, 9)), lambda: find(t(128, 9), vals=t(128, 4, 2)),
         lambda: match(t(), vals=t(128, 2, 2, 2)), lambda: match(t(), dst_idx=t(dtype=U32))],
        [lambda: find(t(128, 9), vals=t(128, 9)), lambda: find(t(), dst=t(128, 7, dtype=U32)),
         lambda: match(t(), vals=t(128, 1)), lambda: match(t(), dst_idx=t(128, 9, dtype=U32)),
         lambda: top(t(128, 9), dst=t(128, 9))],
    ),
    "searches read two free dimensions and write one": (
        "NKI2413",
        [lambda: top(t(128, 4, 4)), lambda: top(t(128, 4, 1, 4), dst=t(128, 1, 8)),
         lambda: find(t(128, 4, 4), vals=t(128, 4, 2))],
        [lambda: top(t(128, 4, 4, 2)), lambda: top(t(), dst=t(128, 2, 4)),
         lambda: find(t(128, 4, 4, 2)), lambda: find(t(), vals=t(128, 2, 2, 2)),
         lambda: find(t(), dst=t(128, 4, 2, dtype=U32))],
    ),
    "positions are unsigned": (
        "NKI2106",
        [lambda: find(t(), dst=t(dtype=U16)), lambda: match(t(), dst_idx=t(dtype=U16))],
        [lambda: find(t(), dst=t(dtype=I32)), lambda: find(t(), dst=t()),
         lambda: match(t(), dst_idx=t(dtype=I32)), lambda: match(t(), dst_idx=t(dtype=U8))],
    ),
    "what is searched and what is found may have different dtypes": (
        "NKI2106",
        [lambda: top(t(dtype=I32), dst=t(dtype=BF16)), lambda: find(t(dtype=U32), vals=t(dtype=U8)),
         lambda: match(t(dtype=BF16), dst=t(dtype=F16))],
        [lambda: top(t(dtype=PACKED)), lambda: find(t(), vals=t(dtype=PACKED))],
    ),
    "what is replaced keeps its size": (
        "NKI2102",
        [lambda: match(t(128, 4, 4), dst=t(128, 16))],
        [lambda: match(t(128, 4, 4), dst=t(128, 8))],
    ),
    "searches are within a partition": (
        "NKI2101",
        [lambda: find(t(32, 9), vals=t(32, 8), dst=t(32, 8, dtype=U32))],
        [lambda: find(t(32, 9), dst=t(32, 8, dtype=U32)), lambda: top(t(32, 9)),
         lambda: match(t(), vals=t(32, 8)), lambda: match(t(), dst_idx=t(32, 8, dtype=U32))],
    ),
    "searches are on the chip": (
        "NKI2105",
        [lambda: top(psum()), lambda: find(psum(), vals=psum()), lambda: match(psum(), dst=psum())],
        [lambda: top(hbm()), lambda: find(t(), vals=hbm()),
         lambda: match(hbm()), lambda: match(t(), dst_idx=hbm(U32))],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
