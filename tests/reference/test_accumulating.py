"""Published rules of what runs in the vector engine's accumulators, from both sides: kept, broken.

Those of tensor_scalar_reduce and select_reduce are in `test_limits`.
"""

from __future__ import annotations

import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, F16, TF32, I32, U32 = (
    nl.float32, nl.bfloat16, nl.float16, nl.tfloat32, nl.int32, nl.uint32,
)  # fmt: skip
U8, U16, I8, I16 = nl.uint8, nl.uint16, nl.int8, nl.int16
E4, E5 = nl.float8_e4m3, nl.float8_e5m2
ALL = ("trn1", "trn2", "trn3")
CMD = nisa.reduce_cmd


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def psum(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=nl.psum)


def v(dtype=F32):
    return t(128, 1, dtype=dtype)


def between(true=t, low=v, high=v, **more):
    nisa.range_select(t(), true(), nl.greater_equal, nl.less, low(), high(), **more)


def exp(dst=t, src=t, **more):
    nisa.exponential(dst(), src(), **more)


def running(tile=t, imm0=lambda: 1.0, first=None, **more):
    more |= {} if first is None else {"imm1": first()}
    nisa.tensor_scalar_cumulative(tile(), tile(), nl.multiply, nl.add, imm0(), **more)


LOAD = {"reduce_cmd": CMD.load_reduce}

# instruction: targets that have it
SINCE = {"tensor_scalar_cumulative": ALL, "range_select": ALL[1:], "exponential": ALL[2:]}

# rule: code, targets, legal calls, illegal calls
RULES = {
    "ranges select floats": (
        "NKI2106", SINCE["range_select"],
        [lambda d=d: between(lambda: t(dtype=d)) for d in (F32, BF16, F16, TF32, E4, E5)],
        [lambda d=d: between(lambda: t(dtype=d)) for d in (I32, U32, U8, I16)],
    ),
    "bounds are float32": (
        "NKI2106", SINCE["range_select"],
        [lambda: between(psum)],
        [lambda: between(low=lambda: v(BF16)), lambda: between(high=lambda: v(I32))],
    ),
    "bounds are vectors": (
        "NKI2107", SINCE["range_select"],
        [lambda: between(low=lambda: psum(128, 1))],
        [lambda: between(low=t), lambda: between(high=t)],
    ),
    "what is outside of a range becomes the least float32": (
        "NKI2124", SINCE["range_select"],
        [between, lambda: between(on_false_value=-3.4028235e38)],
        [lambda: between(on_false_value=0.0), lambda: between(on_false_value=float("-inf"))],
    ),
    "indices of ranges stay within 2**24": (
        "NKI2608", SINCE["range_select"],
        [lambda: between(range_start=2**24 - 7), lambda: between(range_start=-(2**24))],
        [lambda: between(range_start=2**24 - 6), lambda: between(range_start=-(2**24) - 1)],
    ),
    "the start of a range is an integer": (
        "NKI1007", SINCE["range_select"],
        [lambda: between(range_start=3)],
        [lambda: between(range_start=0.5), lambda: between(range_start=v())],
    ),
    "ranges have nothing to load": (
        "NKI2124", SINCE["range_select"],
        [lambda c=c: between(reduce_cmd=c) for c in (CMD.idle, CMD.reset, CMD.reduce)],
        [lambda: between(reduce_cmd=CMD.load_reduce)],
    ),
    "an idle range has no maximum": (
        "NKI2123", SINCE["range_select"],
        [lambda: between(reduce_res=v()), lambda: between(reduce_cmd=CMD.reduce, reduce_res=v())],
        [lambda: between(reduce_cmd=CMD.idle, reduce_res=v())],
    ),
    "exponential writes short integers, int32 and floats": (
        "NKI2106", SINCE["exponential"],
        [lambda d=d: exp(dst=lambda: t(dtype=d))
         for d in (E4, E5, F16, BF16, F32, TF32, I8, I16, I32, U8, U16)],
        [lambda d=d: exp(dst=lambda: t(dtype=d)) for d in (U32, nl.float8_e4m3fn)],
    ),
    "exponential reads integers and floats": (
        "NKI2106", SINCE["exponential"],
        [lambda d=d: exp(src=lambda: t(dtype=d))
         for d in (E4, E5, F16, BF16, F32, I8, I16, I32, U8, U16, U32)],
        [lambda d=d: exp(src=lambda: t(dtype=d)) for d in (TF32, nl.float8_e4m3fn)],
    ),
    "sums of exponentials are floats": (
        "NKI2106", SINCE["exponential"],
        [lambda d=d: exp(reduce_cmd=CMD.reduce, reduce_res=v(d))
         for d in (E4, E5, F16, BF16, F32, TF32)],
        [lambda d=d: exp(reduce_cmd=CMD.reduce, reduce_res=v(d)) for d in (I32, U8)],
    ),
    "the maximum to subtract is a number or a vector": (
        "NKI2107", SINCE["exponential"],
        [lambda: exp(max_value=v()), lambda: exp(max_value=-3)],
        [lambda: exp(max_value=t())],
    ),
    "exponential takes four dimensions": (
        "NKI2110", SINCE["exponential"],
        [lambda: exp(src=lambda: t(128, 2, 2, 2)), lambda: exp(dst=lambda: t(128, 2, 2, 2))],
        [lambda: exp(lambda: t(128, 16), lambda: t(128, 2, 2, 2, 2)),
         lambda: exp(lambda: t(128, 2, 2, 2, 2), lambda: t(128, 16))],
    ),
    "exponential has four commands": (
        "NKI2124", SINCE["exponential"],
        [lambda c=c: exp(reduce_cmd=c)
         for c in (CMD.idle, CMD.reduce, CMD.reset_reduce, CMD.load_reduce)],
        [lambda: exp(reduce_cmd=CMD.reset)],
    ),
    "a first value is loaded": (
        "NKI2123", SINCE["exponential"],
        [lambda: exp(reduce_cmd=CMD.load_reduce, reduce_init=v()),
         lambda: exp(reduce_cmd=CMD.load_reduce, reduce_init=1.0), lambda: exp(reduce_init=0.0)],
        [lambda c=c: exp(reduce_cmd=c, reduce_init=1.0)
         for c in (CMD.idle, CMD.reduce, CMD.reset_reduce)],
    ),
    "running values are of short integers and floats": (
        "NKI2106", SINCE["tensor_scalar_cumulative"],
        [lambda d=d: running(lambda: t(dtype=d))
         for d in (F32, BF16, F16, E4, E5, U8, U16, I8, I16)],
        [lambda d=d: running(lambda: t(dtype=d)) for d in (I32, U32, TF32)],
    ),
    "running values start with a number or a vector": (
        "NKI2107", SINCE["tensor_scalar_cumulative"],
        [lambda: running(imm0=v), lambda: running(first=v, **LOAD)],
        [lambda: running(imm0=t), lambda: running(first=t, **LOAD)],
    ),
    "vectors of running values are float32": (
        "NKI2106", SINCE["tensor_scalar_cumulative"],
        [lambda: running(imm0=lambda: 3), lambda: running(first=lambda: 3, **LOAD)],
        [lambda: running(imm0=lambda: v(BF16)), lambda: running(first=lambda: v(I32), **LOAD)],
    ),
    "a running value that is loaded is given": (
        "NKI2122", SINCE["tensor_scalar_cumulative"],
        [lambda: running(first=lambda: 0.0, **LOAD)],
        [lambda: running(**LOAD)],
    ),
    "a running value that is reset is not given": (
        "NKI2123", SINCE["tensor_scalar_cumulative"],
        [running, lambda: running(first=lambda: 1.0, reduce_cmd=CMD.reduce)],
        [lambda: running(first=lambda: 1.0)],
    ),
    "running values have three commands": (
        "NKI2124", SINCE["tensor_scalar_cumulative"],
        [lambda c=c: running(reduce_cmd=c) for c in (CMD.reduce, CMD.reset_reduce)],
        [lambda c=c: running(reduce_cmd=c) for c in (CMD.idle, CMD.reset)],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due


@pytest.mark.parametrize(("call", "target"), [(between, "trn1"), (exp, "trn1"), (exp, "trn2")])
def test_targets_before_do_not_have_the_instruction(rules, call, target):
    assert rules(call, target) == ["NKI2108"]
