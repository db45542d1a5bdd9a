"""Published rules about operators, engines, dtypes and modes of single instructions.

Those of memories, partitions and elements are in `test_limits_of_operands`.
"""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, TF32, I32, I16, U8, U32 = (
    nl.float32, nl.bfloat16, nl.tfloat32, nl.int32, nl.int16, nl.uint8, nl.uint32,
)  # fmt: skip
E4, PACKED = nl.float8_e4m3, nl.float8_e4m3fn_x4
GEN2, GEN3, GEN4 = ("trn1",), ("trn2", "trn3"), ("trn3",)
OLD = ("trn1", "trn2")
ENGINE, CMD = nisa.engine, nisa.reduce_cmd
ROWS = nisa.matmul_perf_mode.double_row


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def v(dtype=F32):
    return t(128, 1, dtype=dtype)


def psum(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=nl.psum)


def two(op, first=F32, second=F32, dst=F32, **more):
    nisa.tensor_tensor(t(dtype=dst), t(dtype=first), t(dtype=second), op, **more)


def chain(op0=nl.add, op1=nl.add, **more):
    nisa.scalar_tensor_tensor(t(), t(), op0, 1.0, op1, t(), **more)


def scan(op0=nl.add, op1=nl.add):
    nisa.tensor_tensor_scan(t(), t(), t(), 0.0, op0, op1)


def fold(op=nl.add, axis=1, dst=v, dtype=F32, **more):
    nisa.tensor_reduce(dst(), op, t(dtype=dtype), axis, **more)


def accumulate(op=nl.add, reduce_op=nl.add, **more):
    nisa.tensor_scalar_reduce(t(), t(), op, 1.0, reduce_op, **more)


def act(op=nl.exp, **more):
    nisa.activation(t(), op, t(), **more)


def act_reduce(op=nl.exp, reduce_op=nl.add, **more):
    nisa.activation_reduce(t(), op, t(), reduce_op, v(), **more)


def activate2(op=nl.exp, imm0=1.0, **more):
    nisa.activate2(t(), op, t(), imm0, 1.0, nl.multiply, nl.add, **more)


def product(k=64, m=64, n=64, dtype=BF16, **more):
    nisa.nc_matmul(psum(m, n), t(k, m, dtype=dtype), t(k, n, dtype=dtype), **more)


def turned(**more):
    nisa.nc_matmul(psum(64, 64, dtype=E4), t(64, 2, 64, dtype=E4), t(64, 2, 64, dtype=E4),
                   is_transpose=True, **more)  # fmt: skip


def packed(k=32, m=64, **more):
    fields = {
        "dst": psum(m, 8), "stationary": t(k, m, dtype=PACKED), "moving": t(k, 8, dtype=PACKED),
        "stationary_scale": t(k, m, dtype=U8), "moving_scale": t(k, 8, dtype=U8),
    }  # fmt: skip
    nisa.nc_matmul_mx(**(fields | more))


def affine(pattern=((1, 8),), dst=F32, data=F32, **more):
    nisa.affine_select(t(dtype=dst), pattern, 0, t(dtype=data), 0.0, **more)


def select(**more):
    nisa.select_reduce(t(), t(dtype=U8), t(), 0.0, **more)


# What the rule says: its code, targets unless it is all, calls that keep it, calls that break it.
RULES = {
    "instructions run on their engines": (
        "NKI2113", GEN3,
        [lambda e=e: nisa.tensor_copy(t(), t(), engine=e)
         for e in (ENGINE.vector, ENGINE.gpsimd, ENGINE.scalar, ENGINE.unknown)],
        [lambda: nisa.memset(t(), 0, engine=ENGINE.tensor),
         lambda: nisa.tensor_copy(t(), t(), engine=ENGINE.sync),
         lambda: nisa.nc_transpose(t(8, 128), t(), engine=ENGINE.scalar),
         lambda: nisa.rng(t(dtype=U32), engine=ENGINE.scalar),
         lambda: two(nl.add, engine=ENGINE.scalar)],
    ),
    "engines, commands and modes are members": (
        "NKI1008",
        [lambda: nisa.memset(t(), 0, engine=ENGINE.vector), lambda: act(reduce_cmd=CMD.idle)],
        [lambda: nisa.memset(t(), 0, engine="vector"), lambda: nisa.memset(t(), 0, engine=5),
         lambda: act(reduce_cmd=0), lambda: act(reduce_cmd="idle")],
    ),
    "keywords are known": (
        "NKI1004",
        [lambda: nisa.memset(dst=t(), value=0, name="zeros")],
        [lambda: nisa.memset(dst=t(), value=0, fill=1),
         lambda: nisa.tensor_copy(dst=t(), source=t())],
    ),
    "masks are gone": (
        "NKI1030",
        [lambda: nisa.memset(dst=t()[0:64], value=0)],
        [lambda: nisa.memset(dst=t(), value=0, mask=None)],
    ),
    "bits have one dtype": (
        "NKI2116",
        [lambda: two(nl.bitwise_and, I32, I32, I32)],
        [lambda: two(nl.bitwise_and, I32, U32, I32), lambda: two(nl.bitwise_or, I16, I16, I32)],
    ),
    "bits are of integers": (
        "NKI2119",
        [lambda: two(nl.bitwise_xor, U8, U8, U8)],
        [lambda: two(nl.bitwise_xor), lambda: fold(nl.bitwise_or, dst=lambda: v(I32))],
    ),
    "power is not of the Vector engine": (
        "NKI2118",
        [lambda: two(nl.power), chain, scan, accumulate],
        [lambda: two(nl.power, engine=ENGINE.vector), lambda: chain(nl.power),
         lambda: chain(op1=nl.power), lambda: scan(nl.power), lambda: accumulate(nl.power)],
    ),
    "operators of two tiles have two inputs": (
        "NKI2117",
        [lambda: chain(nl.subtract, nl.maximum), lambda: scan(nl.maximum, nl.subtract)],
        [lambda: two(nl.abs), lambda: chain(nl.bitwise_and), lambda: chain(op1=nl.invert),
         lambda: scan(nl.abs), lambda: scan(op1=nl.bitwise_or)],
    ),
    "a reduction keeps its partitions": (
        "NKI2101", [fold], [lambda: fold(dst=lambda: t(64, 1))],
    ),
    "a reduction has an axis": (
        "NKI2124", [lambda: fold(axis=(1,)), lambda: fold(axis=-1)], [lambda: fold(axis=())],
    ),
    "an axis of a reduction is one of the tile": (
        "NKI2403", [fold], [lambda: fold(axis=2), lambda: fold(axis=(1, 1))],
    ),
    "accumulators of the Vector engine fold with four operators": (
        "NKI2117",
        [lambda r=r: accumulate(reduce_op=r)
         for r in (nl.add, nl.multiply, nl.maximum, nl.minimum)],
        [lambda r=r: accumulate(reduce_op=r) for r in (nl.subtract, nl.logical_or)],
    ),
    "accumulators of the Scalar engine add": (
        "NKI2117", OLD,
        [act_reduce, lambda: act(reduce_op=nl.add, reduce_cmd=CMD.reset_reduce)],
        [lambda: act_reduce(reduce_op=nl.maximum),
         lambda: act(reduce_op=nl.maximum, reduce_cmd=CMD.reset_reduce)],
    ),
    "activations apply functions": (
        "NKI2501", GEN4,
        [act, act_reduce, activate2],
        [lambda: act(nl.add), lambda: act_reduce(nl.multiply), lambda: activate2(nl.add)],
    ),
    "a bias is no tfloat32": (
        "NKI2106",
        [lambda: act_reduce(bias=v(BF16))], [lambda: act_reduce(bias=v(TF32))],
    ),
    "a bias of gen2 is a vector": (
        "NKI2502", GEN2, [lambda: act_reduce(bias=v())], [lambda: act_reduce(bias=1.0)],
    ),
    "reciprocals of gen2 have no bias": (
        "NKI2123", GEN2,
        [lambda: act_reduce(nl.reciprocal)], [lambda: act_reduce(nl.reciprocal, bias=v())],
    ),
    "prelu has a slope that activation does not give": (
        "NKI2504", [lambda: act(nl.relu)], [lambda: act(nl.prelu), lambda: act_reduce(nl.prelu)],
    ),
    "double_row does not transpose": (
        "NKI2123", GEN3, [], [lambda: turned(perf_mode=ROWS)],
    ),
    "a place in the array is a row and a column": (
        "NKI2124",
        [lambda: product(tile_position=(64, 0), tile_size=(64, 128))],
        [lambda: product(tile_position=(64,), tile_size=(64, 128)),
         lambda: product(tile_position=(64, 0), tile_size=(64, 64, 64))],
    ),
    "a place in the array for packed operands": (
        "NKI2124", GEN4,
        [lambda: packed(tile_position=(32, 0), tile_size=(32, 128))],
        [lambda: packed(tile_position=(32,), tile_size=(32, 128))],
    ),
    "position and size go together for packed operands": (
        "NKI2207", GEN4,
        [packed], [lambda: packed(tile_position=(32, 0)), lambda: packed(tile_size=(32, 128))],
    ),
    "packed operands fit their place": (
        "NKI2210", GEN4,
        [lambda: packed(64, tile_position=(64, 0), tile_size=(64, 128))],
        [lambda: packed(64, tile_position=(32, 0), tile_size=(32, 128))],
    ),
    "scales of packed operands reach as far as they do": (
        "NKI2216", GEN4,
        [lambda: packed(moving_scale=t(4, 8, dtype=U8)),
         lambda: packed(stationary_scale=t(128, 64, dtype=U8))],
        [lambda: packed(moving_scale=t(3, 8, dtype=U8)),
         lambda: packed(stationary_scale=t(3, 64, dtype=U8))],
    ),
    "a transpose has the transposed shape": (
        "NKI2103",
        [lambda: nisa.nc_transpose(psum(8, 128), t(128, 2, 4))],
        [lambda: nisa.nc_transpose(psum(8, 64), t()), lambda: nisa.nc_transpose(psum(4, 128), t())],
    ),
    "patterns are of dtypes with single values": (
        "NKI2106", GEN4,
        [lambda: nisa.iota(t(dtype=BF16), [[1, 8]]), lambda: affine(dst=BF16, data=U8)],
        [lambda: nisa.iota(t(dtype=PACKED), [[1, 8]]), lambda: affine(dst=PACKED, data=U8),
         lambda: affine(data=PACKED)],
    ),
    "patterns of selections are pairs, too": (
        "NKI2602",
        [lambda: affine([[1, 2], [1, 4]])], [lambda: affine([[1]]), lambda: affine([[1, 1]] * 5)],
    ),
    "numbers of selections are int32, too": (
        "NKI2605", [lambda: affine(offset=-(2**31))], [lambda: affine(offset=2**31)],
    ),
    "affine selections compare": (
        "NKI2117", [lambda: affine(cmp_op=nl.not_equal)], [lambda: affine(cmp_op=nl.add)],
    ),
    "selections keep the maximum": (
        "NKI2117",
        [lambda: select(reduce_op=nl.maximum)], [lambda: select(reduce_op=nl.minimum)],
    ),
    "an idle selection has no maximum": (
        "NKI2123",
        [lambda: select(reduce_res=v(), reduce_cmd=CMD.reset_reduce)],
        [lambda: select(reduce_res=v())],
    ),
    "what fills and replaces is a float32": (
        "NKI1007",
        [lambda: nisa.nc_match_replace8(t(128, 16), t(128, 16), t(), float("-inf"))],
        [lambda: nisa.nc_match_replace8(t(128, 16), t(128, 16), t(), 1e39),
         lambda: nisa.nc_match_replace8(t(128, 16), t(128, 16), t(), None)],
    ),
    "on_false is given": (
        "NKI1007",
        [lambda: nisa.select_reduce(t(), t(dtype=U8), t(), -1)],
        [lambda: nisa.select_reduce(t(), t(dtype=U8), t(), None),
         lambda: nisa.select_reduce(t(), t(dtype=U8), t(), "zero")],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
