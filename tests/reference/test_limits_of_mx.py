"""Published rules of what only trn3 has: calls that keep a rule, or break it.

These are quantize_mx, nc_matmul_mx and activate2.
"""

from __future__ import annotations

import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, F16, U8, I8 = nl.float32, nl.bfloat16, nl.float16, nl.uint8, nl.int8
E4X4, E5X4, E2X4 = nl.float8_e4m3fn_x4, nl.float8_e5m2_x4, nl.float4_e2m1fn_x4
GEN4 = ("trn3",)
CMD = nisa.reduce_cmd


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def quantize(p=32, f=16, to=E4X4, of=BF16, scale=U8, **more):
    fields = {
        "dst": t(p, f // 4, dtype=to), "src": t(p, f, dtype=of),
        "dst_scale": t(p, f // 4, dtype=scale),
    }  # fmt: skip
    nisa.quantize_mx(**(fields | more))


def product(k=128, m=128, n=512, left=E4X4, right=E5X4, scales=U8, sums=F32, **more):
    fields = {
        "dst": t(m, n, dtype=sums, buffer=nl.psum), "stationary": t(k, m, dtype=left),
        "moving": t(k, n, dtype=right), "stationary_scale": t(k, m, dtype=scales),
        "moving_scale": t(k, n, dtype=scales),
    }  # fmt: skip
    nisa.nc_matmul_mx(**(fields | more))


def activate2(op0=nl.multiply, op1=nl.add, op=nl.exp, **more):
    fields = {"dst": t(), "op": op, "data": t(), "imm0": 1.0, "imm1": 1.0, "op0": op0, "op1": op1}
    nisa.activate2(**(fields | more))


# What the rule says: its code, targets, calls that keep it, calls that break it.
RULES = {
    "two-byte floats are quantized": (
        "NKI2106", GEN4,
        [lambda: quantize(of=F16), lambda: quantize(of=BF16)],
        [lambda: quantize(of=F32), lambda: quantize(of=nl.int16),
         lambda: quantize(of=nl.float8_e5m2)],
    ),
    "packed float8 is made": (
        "NKI2106", GEN4,
        [lambda: quantize(to=E4X4), lambda: quantize(to=E5X4)],
        [lambda: quantize(to=E2X4), lambda: quantize(to=nl.uint32)],
    ),
    "scales are bytes": (
        "NKI2106", GEN4,
        [lambda: quantize(scale=nl.float8_e8m0fnu), lambda: product(scales=nl.float8_e8m0fnu)],
        [lambda: quantize(scale=I8), lambda: quantize(scale=F32), lambda: product(scales=BF16)],
    ),
    "whole quadrants are quantized and multiplied": (
        "NKI2217", GEN4,
        [lambda p=p: quantize(p) for p in (32, 64, 96, 128)] + [lambda: product(64)],
        [lambda: quantize(16), lambda: quantize(48), lambda: product(48)],
    ),
    "elements are quantized in fours": (
        "NKI2217", GEN4,
        [lambda: quantize(f=4)],
        [lambda: quantize(dst=t(32, 4, dtype=E4X4), src=t(32, 18, dtype=BF16),
                          dst_scale=t(32, 4, dtype=U8))],
    ),
    "a quarter of the elements is made": (
        "NKI2107", GEN4,
        [lambda: quantize(f=32)],
        [lambda: quantize(src=t(32, 32, dtype=BF16))],
    ),
    "scales reach as far as their data": (
        "NKI2216", GEN4,
        [lambda: quantize(dst_scale=t(4, 4, dtype=U8)),
         lambda: quantize(64, dst_scale=t(36, 4, dtype=U8))],
        [lambda: quantize(dst_scale=t(3, 4, dtype=U8)),
         lambda: quantize(64, dst_scale=t(8, 4, dtype=U8))],
    ),
    "scales begin 0, 4, 8 or 12 partitions into their quadrant": (
        "NKI2112", GEN4,
        [lambda s=s: quantize(dst_scale=t(32, 4, dtype=U8)[s : s + 4]) for s in (0, 4, 8, 12)],
        [lambda s=s: quantize(dst_scale=t(32, 4, dtype=U8)[s : s + 4]) for s in (2, 16, 20)],
    ),
    "all that is quantized is in SBUF": (
        "NKI2105", GEN4,
        [quantize],
        [lambda: quantize(src=t(32, 16, dtype=BF16, buffer=nl.psum)),
         lambda: quantize(dst=t(32, 4, dtype=E4X4, buffer=nl.psum)),
         lambda: quantize(dst_scale=t(32, 4, dtype=U8, buffer=nl.psum))],
    ),
    "four values lie side by side": (
        "NKI2218", GEN4,
        [lambda: quantize(src=t(32, 2, 8, dtype=BF16))],
        [lambda: quantize(src=t(32, 32, dtype=BF16)[:, 0:32:2]),
         lambda: quantize(src=t(32, 8, 2, dtype=BF16))],
    ),
    "packed operands are multiplied, of one kind or two": (
        "NKI2106", GEN4,
        [lambda a=a, b=b: product(left=a, right=b)
         for a in (E4X4, E5X4, E2X4) for b in (E4X4, E2X4)],
        [lambda: product(left=nl.float8_e5m2), lambda: product(right=nl.uint32)],
    ),
    "sums of packed operands are float32 or bfloat16": (
        "NKI2106", GEN4, [lambda: product(sums=BF16)], [lambda: product(sums=F16)],
    ),
    "stationary has an even number of columns, up to 128": (
        "NKI2217", GEN4, [lambda: product(m=2)], [lambda: product(m=3), lambda: product(m=127)],
    ),
    "stationary has at most 128 packed columns": (
        "NKI2104", GEN4, [lambda: product(m=128)],
        [lambda: product(m=128, stationary=t(128, 130, dtype=E4X4),
                         stationary_scale=t(128, 130, dtype=U8))],
    ),
    "sums of packed operands fill PSUM": (
        "NKI3003", GEN4,
        [lambda: product(n=4096), lambda: product(n=8192, sums=BF16)],
        [lambda: product(n=4098), lambda: product(n=8194, sums=BF16)],
    ),
    "moving has as many columns as the sums": (
        "NKI2103", GEN4,
        [lambda: product(n=3)],
        [lambda: product(dst=t(128, 500, buffer=nl.psum))],
    ),
    "packed contractions agree": (
        "NKI2103", GEN4,
        [lambda: product(k=32)],
        [lambda: product(moving=t(64, 512, dtype=E5X4), moving_scale=t(64, 512, dtype=U8))],
    ),
    "packed operands are in SBUF and sums in PSUM": (
        "NKI2105", GEN4,
        [product],
        [lambda: product(n=64, dst=t(128, 64)),
         lambda: product(moving=t(128, 512, dtype=E5X4, buffer=nl.psum)),
         lambda: product(n=64, moving_scale=t(128, 64, dtype=U8, buffer=nl.psum))],
    ),
    "packed products use rows of the array": (
        "NKI2209", GEN4,
        [lambda: product(32, tile_position=(96, 0), tile_size=(32, 128))],
        [lambda: product(32, 64, tile_position=(0, 64), tile_size=(128, 64))],
    ),
    "activate2 has six pairs of operations": (
        "NKI2117", GEN4,
        [lambda: activate2(nl.multiply, nl.subtract), lambda: activate2(nl.add, nl.bypass),
         lambda: activate2(nl.bypass, nl.bypass)],
        [lambda: activate2(nl.add, nl.multiply), lambda: activate2(nl.subtract, nl.add)],
    ),
    "two tiles of activate2 have one dtype": (
        "NKI2116", GEN4,
        [lambda: activate2(imm0=t(128, 1), imm1=t(128, 1))],
        [lambda: activate2(imm0=t(128, 1), imm1=t(128, 1, dtype=BF16))],
    ),
    "numbers of activate2 are vectors": (
        "NKI2107", GEN4, [lambda: activate2(imm0=t(128, 1))], [lambda: activate2(imm0=t(128, 8))],
    ),
    "only prelu has a slope": (
        "NKI2123", GEN4,
        [lambda: activate2(op=nl.prelu, relu_param=0.5), lambda: activate2(relu_param=0.0)],
        [lambda: activate2(relu_param=0.5)],
    ),
    "a command of activate2 that reduces has an operator": (
        "NKI2122", GEN4,
        [lambda: activate2(reduce_op=nl.maximum, reduce_cmd=CMD.reset_reduce),
         lambda: activate2(reduce_op=nl.abs_max, reduce_cmd=CMD.reduce)],
        [lambda: activate2(reduce_cmd=CMD.reduce)],
    ),
    "activate2 has nothing to load": (
        "NKI2124", GEN4,
        [lambda: activate2(reduce_op=nl.add, reduce_cmd=CMD.reduce)],
        [lambda: activate2(reduce_op=nl.add, reduce_cmd=CMD.load_reduce)],
    ),
    "earlier targets do not have them": (
        "NKI2108", ("trn1", "trn2"), [], [quantize, product, activate2],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_the_widest_product_depends_on_the_dtype_of_its_sum(rules, dtype):
    columns = 4096 if dtype is F32 else 8192
    assert rules(lambda: product(m=2, n=columns, sums=dtype), "trn3") == []
