"""Published rules of the instructions from both sides: a call that just keeps it, one not.

Operators are in `test_operators`, views in `test_views`, targets in `test_targets`, instructions
that run in accumulators and need not exist everywhere in `test_accumulating`.
"""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, F16, TF32, I32, U32 = (
    nl.float32, nl.bfloat16, nl.float16, nl.tfloat32, nl.int32, nl.uint32,
)  # fmt: skip
U8, U16, I8, I16 = nl.uint8, nl.uint16, nl.int8, nl.int16
E4, E5 = nl.float8_e4m3, nl.float8_e5m2
SBUF, PSUM, HBM = nl.sbuf, nl.psum, nl.shared_hbm
ALL = ("trn1", "trn2", "trn3")
ENGINE, CMD, DGE, OOB = nisa.engine, nisa.reduce_cmd, nisa.dge_mode, nisa.oob_mode


def t(*shape, dtype=F32, buffer=SBUF):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def psum(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=PSUM)


def hbm(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=HBM)


def product(k=128, m=128, n=512, dst=F32, left=BF16, right=BF16, target=None, **more):
    nisa.nc_matmul(psum(m, n, dtype=dst), t(k, m, dtype=left), t(k, n, dtype=right), **more)


def tiled(position, size, k=32, m=32, **more):
    product(k, m, 64, tile_position=position, tile_size=size, **more)


def turn(rows, columns, engine=ENGINE.tensor, data=BF16, dst=BF16, src=SBUF, to=PSUM):
    nisa.nc_transpose(t(columns, rows, dtype=dst, buffer=to),
                      t(rows, columns, dtype=data, buffer=src), engine=engine)  # fmt: skip


def copy(dst, src, **more):
    return lambda: nisa.dma_copy(dst=dst(), src=src(), **more)


def scalar(operand=1.0, dtype=F32, op=nl.add, **more):
    nisa.tensor_scalar(t(dtype=dtype), t(dtype=dtype), op, operand, **more)


def act(**more):
    nisa.activation(t(), nl.exp, t(), **more)


def accumulate(**more):
    nisa.tensor_scalar_reduce(t(), t(), nl.add, 1.0, nl.add, **more)


def select(predicate=U8, true=F32, false=0.0, dst=F32, **more):
    nisa.select_reduce(
        t(dtype=dst), t(dtype=predicate), t(dtype=true), false() if callable(false) else false,
        **more,
    )  # fmt: skip


def both(call, first=PSUM, second=PSUM):
    return lambda: call(t(buffer=first), t(buffer=second))


def add(a, b):
    nisa.tensor_tensor(t(), a, b, nl.add)


def chain(a, b):
    nisa.scalar_tensor_tensor(t(), a, nl.add, 1.0, nl.multiply, b)


def scan(a, b):
    nisa.tensor_tensor_scan(t(), a, b, 0.0, nl.multiply, nl.add)


# rule: code, legal calls, illegal calls; on every target
RULES = {
    # general
    "a tile has at least two dimensions": (
        "NKI3001", [lambda: t(128, 1)], [lambda: t(128)],
    ),
    "a tile has at most 128 partitions": (
        "NKI3002", [lambda: t(128, 4)], [lambda: t(129, 4)],
    ),
    "a tile in PSUM fits 16 KiB per partition": (
        "NKI3003", [lambda: psum(128, 4096)], [lambda: psum(128, 4097)],
    ),
    "partitions are consecutive": (
        "NKI2111",
        [lambda: nisa.memset(t()[0:64], 0), lambda: nisa.memset(t()[0:1:2], 0)],
        [lambda: nisa.memset(t()[0:128:4], 0)],
    ),
    "an access pattern has four free dimensions": (
        "NKI2110",
        [lambda: nisa.memset(t(8, 2, 2, 2, 2), 0), lambda: nisa.memset(t(8, 2, 2, 1, 2, 2), 0)],
        [lambda: nisa.memset(t(8, 2, 2, 2, 2, 2), 0)],
    ),
    "a count is an unsigned 16-bit number": (
        "NKI2128",
        [lambda: nisa.memset(t(128, 65535, dtype=U8), 0)],
        [lambda: nisa.memset(t(128, 65536, dtype=U8), 0)],
    ),
    "a step is a signed 16-bit number": (
        "NKI2128",
        [lambda: nisa.memset(t(128, 2, 32767, dtype=U8)[:, :, 0], 0)],
        [lambda: nisa.memset(t(128, 2, 32768, dtype=U8)[:, :, 0], 0)],
    ),
    "operands have the same partitions": (
        "NKI2101",
        [lambda: nisa.tensor_copy(t(64, 8), t(64, 8))],
        [lambda: nisa.tensor_copy(t(64, 8), t(32, 8)), lambda: add(t(), t(1, 8))],
    ),
    "operands have the same elements per partition": (
        "NKI2102",
        [lambda: nisa.tensor_copy(t(64, 2, 4), t(64, 8))],
        [lambda: nisa.tensor_copy(t(64, 8), t(64, 7)), lambda: add(t(), t(128, 1))],
    ),
    "two inputs are not both in PSUM": (
        "NKI2115",
        [both(call, *where) for call in (add, chain, scan)
         for where in ((SBUF, SBUF), (SBUF, PSUM), (PSUM, SBUF))],
        [both(call) for call in (add, chain, scan)],
    ),
    "GpSimd does not reach PSUM": (
        "NKI2114",
        [lambda: nisa.memset(psum(), 0, engine=ENGINE.vector),
         lambda: nisa.memset(t(), 0, engine=ENGINE.gpsimd)],
        [lambda: nisa.memset(psum(), 0, engine=ENGINE.gpsimd),
         lambda: nisa.tensor_copy(psum(), t(), engine=ENGINE.gpsimd),
         lambda: nisa.tensor_copy(t(), psum(), engine=ENGINE.gpsimd),
         lambda: nisa.tensor_tensor(psum(), t(), t(), nl.add, engine=ENGINE.gpsimd),
         lambda: nisa.tensor_tensor(t(), psum(), t(), nl.power),
         lambda: nisa.tensor_scalar(t(), psum(), nl.rsqrt, None)],
    ),
    "engines compute on chip": (
        "NKI2105",
        [lambda: nisa.reciprocal(t(), psum())],
        [lambda: nisa.reciprocal(t(), hbm()), lambda: nisa.reciprocal(hbm(), t())],
    ),
    # dma_copy
    "DMA does not reach PSUM": (
        "NKI2301",
        [copy(t, hbm), copy(hbm, t), copy(hbm, hbm), copy(t, t)],
        [copy(psum, hbm), copy(hbm, psum), copy(psum, t)],
    ),
    "DMA copies as many elements as there are": (
        "NKI2126",
        [copy(lambda: t(128, 8), lambda: hbm(64, 16))],
        [copy(lambda: t(128, 8), lambda: hbm(128, 9))],
    ),
    "packed dtypes are not converted": (
        "NKI2116",
        [copy(lambda: t(dtype=nl.float8_e5m2_x4), lambda: hbm(dtype=nl.float8_e5m2_x4))],
        [copy(t, lambda: hbm(dtype=nl.float8_e5m2_x4)),
         lambda: nisa.tensor_copy(t(), t(dtype=nl.float8_e5m2_x4))],
    ),
    "only run-time indices can be skipped": (
        "NKI2311", [copy(t, hbm, oob_mode=OOB.error)], [copy(t, hbm, oob_mode=OOB.skip)],
    ),
    "an engine is named for hardware descriptors only": (
        "NKI2303",
        [copy(t, hbm, dge_mode=DGE.none), copy(t, hbm, dge_mode=DGE.swdge)],
        [copy(t, hbm, engine=ENGINE.sync), copy(t, hbm, engine=ENGINE.scalar, dge_mode=DGE.none)],
    ),
    # nc_matmul
    "products read SBUF and write PSUM": (
        "NKI2105",
        [lambda: nisa.nc_matmul(psum(64, 64), t(128, 64), t(128, 64))],
        [lambda: nisa.nc_matmul(t(64, 64), t(128, 64), t(128, 64)),
         lambda: nisa.nc_matmul(psum(64, 64), psum(128, 64), t(128, 64)),
         lambda: nisa.nc_matmul(psum(64, 64), t(128, 64), psum(128, 64))],
    ),
    "stationary has at most 128 columns": (
        "NKI2104",
        [lambda: product(m=128)],
        [lambda: nisa.nc_matmul(psum(128, 8), t(128, 129), t(128, 8))],
    ),
    "the contractions agree": (
        "NKI2103",
        [lambda: product(k=64)],
        [lambda: nisa.nc_matmul(psum(64, 8), t(64, 64), t(32, 8))],
    ),
    "the product has the shape that the operands give": (
        "NKI2103",
        [lambda: product(m=64, n=8)],
        [lambda: nisa.nc_matmul(psum(32, 8), t(128, 64), t(128, 8)),
         lambda: nisa.nc_matmul(psum(64, 9), t(128, 64), t(128, 8))],
    ),
    "4-byte floats mix with 4-byte floats": (
        "NKI2201",
        [lambda: product(left=F32, right=TF32), lambda: product(left=BF16, right=F16),
         lambda: product(left=E4, right=BF16), lambda: product(left=E4, right=E5)],
        [lambda: product(left=F32), lambda: product(right=TF32),
         lambda: product(left=F32, right=E5)],
    ),
    "products take floats": (
        "NKI2106", [lambda: product()], [lambda: product(left=I8), lambda: product(right=U8)],
    ),
    "position and size of a tile of the array go together": (
        "NKI2207",
        [lambda: tiled((64, 0), (64, 128))],
        [lambda: tiled((64, 0), ()), lambda: tiled((), (64, 128))],
    ),
    "a tile of the array starts at a multiple of its size": (
        "NKI2208",
        [lambda: tiled((0, 0), (64, 128)), lambda: tiled((64, 0), (64, 128))],
        [lambda: tiled((32, 0), (64, 128)), lambda: tiled((128, 0), (64, 128))],
    ),
    "stationary fits its tile of the array": (
        "NKI2210",
        [lambda: tiled((0, 0), (64, 128), k=64)],
        [lambda: tiled((0, 0), (64, 128), k=65)],
    ),
    # nc_transpose
    "the Tensor engine transposes up to 128 x 128": (
        "NKI2212",
        [lambda: turn(128, 128), lambda: turn(1, 128)],
        [lambda: nisa.nc_transpose(psum(128, 32, dtype=BF16), t(32, 129, dtype=BF16))],
    ),
    "the Vector engine transposes up to 32 x 32": (
        "NKI2212",
        [lambda: turn(32, 32, ENGINE.vector), lambda: turn(32, 32, ENGINE.vector, to=SBUF),
         lambda: turn(32, 32, ENGINE.vector, src=PSUM)],
        [lambda: turn(33, 32, ENGINE.vector), lambda: turn(32, 33, ENGINE.vector)],
    ),
    "the Tensor engine transposes from SBUF to PSUM": (
        "NKI2213",
        [lambda: turn(64, 64)],
        [lambda: turn(64, 64, to=SBUF), lambda: turn(64, 64, src=PSUM)],
    ),
    "a transpose does not convert": (
        "NKI2116",
        [lambda d=d: turn(64, 64, data=d, dst=d) for d in (F32, BF16, I8, U16)],
        [lambda: turn(64, 64, dst=F32), lambda: turn(32, 32, ENGINE.vector, dst=F16)],
    ),
    # tensor_copy, memset, tensor_copy_predicated
    "values of memset fit the dtype": (
        "NKI2606",
        [lambda: nisa.memset(t(dtype=U8), 255), lambda: nisa.memset(t(dtype=I8), -128),
         lambda: nisa.memset(t(dtype=BF16), 0.1), lambda: nisa.memset(t(dtype=I32), 2.0)],
        [lambda: nisa.memset(t(dtype=U8), 256), lambda: nisa.memset(t(dtype=I8), -129),
         lambda: nisa.memset(t(dtype=I32), 0.5), lambda: nisa.memset(t(dtype=U32), -1)],
    ),
    "packed dtypes are only set to zero": (
        "NKI2607",
        [lambda d=d: nisa.memset(t(dtype=d), 0)
         for d in (nl.float8_e4m3fn_x4, nl.float8_e5m2_x4, nl.float4_e2m1fn_x4)],
        [lambda: nisa.memset(t(dtype=nl.float8_e5m2_x4), 1)],
    ),
    "predicates of copies are unsigned": (
        "NKI2106",
        [lambda: nisa.tensor_copy_predicated(t(), t(), t(dtype=U8)),
         lambda: nisa.tensor_copy_predicated(t(), t(), t(dtype=U16)),
         lambda: nisa.tensor_copy_predicated(t(), 1.0, t(dtype=U32))],
        [lambda d=d: nisa.tensor_copy_predicated(t(), t(), t(dtype=d))
         for d in (I8, I16, I32, F32)],
    ),
    "masked copies do not convert": (
        "NKI2116",
        [lambda: nisa.tensor_copy_predicated(t(dtype=BF16), t(dtype=BF16), t(dtype=U8))],
        [lambda: nisa.tensor_copy_predicated(t(dtype=BF16), t(), t(dtype=U8))],
    ),
    "source and predicate are not both in PSUM": (
        "NKI2115",
        [lambda: nisa.tensor_copy_predicated(t(), psum(), t(dtype=U8)),
         lambda: nisa.tensor_copy_predicated(t(), t(), psum(dtype=U8)),
         lambda: nisa.tensor_copy_predicated(psum(), 1.0, psum(dtype=U8)),
         lambda: nisa.select_reduce(t(), psum(dtype=U8), t(), 0.0)],
        [lambda: nisa.tensor_copy_predicated(t(), psum(), psum(dtype=U8)),
         lambda: nisa.select_reduce(t(), psum(dtype=U8), psum(), 0.0)],
    ),
    # tensor_scalar
    "operands per partition are vectors": (
        "NKI2107",
        [lambda: scalar(t(128, 1)), lambda: scalar(1.0, op1=nl.add, operand1=psum(128, 1))],
        [lambda: scalar(t(128, 2)), lambda: scalar(1.0, op1=nl.add, operand1=t(128, 8))],
    ),
    "vectors of arithmetic are float32": (
        "NKI2106",
        [lambda: scalar(t(128, 1), dtype=BF16)],
        [lambda: scalar(t(128, 1, dtype=BF16), dtype=BF16)],
    ),
    "the second operand comes with the second operator": (
        "NKI2123", [lambda: scalar()], [lambda: scalar(operand1=1.0)],
    ),
    "the second operator comes with its operand": (
        "NKI2122", [lambda: scalar(op1=nl.add, operand1=1.0)], [lambda: scalar(op1=nl.add)],
    ),
    "operators are of one kind": (
        "NKI2120",
        [lambda: scalar(7, I32, nl.bitwise_and, op1=nl.left_shift, operand1=1)],
        [lambda: scalar(7, I32, nl.bitwise_and, op1=nl.add, operand1=1.0)],
    ),
    "bits stay on the Vector engine": (
        "NKI2113",
        [lambda: scalar(7, I32, nl.bitwise_and, engine=ENGINE.vector)],
        [lambda: scalar(7, I32, nl.bitwise_and, engine=ENGINE.gpsimd),
         lambda: scalar(7, I32, nl.bitwise_and, engine=ENGINE.scalar)],
    ),
    "unary operators take None or 0": (
        "NKI2124",
        [lambda: scalar(None, op=nl.abs), lambda: scalar(0, op=nl.abs),
         lambda: scalar(0.0, op=nl.rsqrt),
         lambda: nisa.tensor_scalar_reduce(t(), t(), nl.abs, None, nl.add, t(128, 1))],
        [lambda: scalar(1.0, op=nl.abs), lambda: scalar(t(128, 1), op=nl.abs)],
    ),
    # tensor_reduce
    "reductions leave partitions alone": (
        "NKI2401",
        [lambda: nisa.tensor_reduce(t(128, 1), nl.add, t(128, 4, 2), (1, 2))],
        [lambda: nisa.tensor_reduce(t(128, 1), nl.add, t(128, 4, 2), (0, 1, 2)),
         lambda: nisa.tensor_reduce(t(128, 1), nl.add, t(128, 4), 0)],
    ),
    "reductions fold the last dimensions": (
        "NKI2402",
        [lambda: nisa.tensor_reduce(t(128, 24), nl.add, t(128, 4, 6, 2), (3,)),
         lambda: nisa.tensor_reduce(t(128, 4), nl.add, t(128, 4, 6, 2), (2, 3)),
         lambda: nisa.tensor_reduce(t(128, 1), nl.add, t(128, 4, 6, 2), [1, 2, 3])],
        [lambda: nisa.tensor_reduce(t(128, 12), nl.add, t(128, 4, 6, 2), 1),
         lambda: nisa.tensor_reduce(t(128, 6), nl.add, t(128, 4, 6, 2), (1, 3))],
    ),
    "the result of a reduction has what is left": (
        "NKI2404",
        [lambda: nisa.tensor_reduce(t(128, 4), nl.add, t(128, 4, 2), 2),
         lambda: nisa.tensor_reduce(t(128, 4, 1), nl.add, t(128, 4, 2), 2, keepdims=True)],
        [lambda: nisa.tensor_reduce(t(128, 1), nl.add, t(128, 4, 2), 2)],
    ),
    "bits are not negated": (
        "NKI2405",
        [lambda: nisa.tensor_reduce(t(128, 1), nl.add, t(), 1, negate=True)],
        [lambda: nisa.tensor_reduce(t(128, 1, dtype=I32), nl.bitwise_or, t(dtype=I32), 1, True)],
    ),
    # tensor_scalar_reduce
    "an initial value comes with load_reduce": (
        "NKI2123",
        [lambda: accumulate(reduce_cmd=CMD.load_reduce, reduce_init=t(128, 1))],
        [lambda: accumulate(reduce_init=0.0),
         lambda: accumulate(reduce_cmd=CMD.reduce, reduce_init=0.0)],
    ),
    "load_reduce comes with an initial value": (
        "NKI2122",
        [lambda: accumulate(reduce_cmd=CMD.load_reduce, reduce_init=1.0)],
        [lambda: accumulate(reduce_cmd=CMD.load_reduce)],
    ),
    "initial values are float32": (
        "NKI2106",
        [lambda: accumulate(reduce_cmd=CMD.load_reduce, reduce_init=t(128, 1))],
        [lambda: accumulate(reduce_cmd=CMD.load_reduce, reduce_init=t(128, 1, dtype=BF16))],
    ),
    "the Vector engine's accumulators know three commands": (
        "NKI2124",
        [lambda c=c: accumulate(reduce_cmd=c) for c in (CMD.reduce, CMD.reset_reduce)],
        [lambda c=c: accumulate(reduce_cmd=c) for c in (CMD.idle, CMD.reset)],
    ),
    "reverse0 is not supported yet": (
        "NKI2124", [lambda: accumulate(reverse0=False)], [lambda: accumulate(reverse0=True)],
    ),
    "results of accumulation are vectors": (
        "NKI2107",
        [lambda: accumulate(reduce_res=t(128, 1)), lambda: act(reduce_res=psum(128, 1))],
        [lambda: accumulate(reduce_res=t(128, 2)), lambda: act(reduce_res=t(128, 2))],
    ),
    # activation
    "scale is float32, a number or a vector": (
        "NKI2106",
        [lambda: act(scale=t(128, 1)), lambda: act(scale=2), lambda: act(scale=psum(128, 1))],
        [lambda: act(scale=t(128, 1, dtype=BF16))],
    ),
    "scale and bias are vectors": (
        "NKI2107",
        [lambda: act(scale=t(128, 1), bias=t(128, 1))],
        [lambda: act(scale=t(128, 2)), lambda: act(bias=t(128, 8))],
    ),
    "bias is anything but tfloat32": (
        "NKI2106",
        [lambda d=d: act(bias=t(128, 1, dtype=d)) for d in (F32, BF16, F16, I32, E4)],
        [lambda: act(bias=t(128, 1, dtype=TF32))],
    ),
    "an operator comes with a reducing command": (
        "NKI2122",
        [lambda: act(reduce_op=nl.add, reduce_cmd=CMD.reduce), lambda: act(reduce_cmd=CMD.reset),
         lambda: act(reduce_op=nl.add, reduce_cmd=CMD.reset_reduce)],
        [lambda: act(reduce_cmd=CMD.reduce), lambda: act(reduce_cmd=CMD.reset_reduce)],
    ),
    "the Scalar engine's accumulators know four commands": (
        "NKI2124", [lambda: act(reduce_cmd=CMD.idle)], [lambda: act(reduce_cmd=CMD.load_reduce)],
    ),
    # iota and affine_select
    "patterns go to SBUF": (
        "NKI2105",
        [lambda: nisa.iota(t(), [[1, 8]])],
        [lambda: nisa.iota(psum(), [[1, 8]]),
         lambda: nisa.affine_select(psum(), [[1, 8]], 0, t(), 0.0),
         lambda: nisa.affine_select(t(), [[1, 8]], 0, psum(), 0.0)],
    ),
    "patterns have a number for each element": (
        "NKI2601",
        [lambda: nisa.iota(t(), [[1, 8]]), lambda: nisa.iota(t(), [[0, 2], [3, 2], [1, 2]])],
        [lambda: nisa.iota(t(), [[1, 7]]),
         lambda: nisa.affine_select(t(), [[1, 9]], 0, t(), 0.0)],
    ),
    "patterns have up to four pairs": (
        "NKI2602",
        [lambda: nisa.iota(t(), [[1, 1], [0, 2], [3, 2], [1, 2]])],
        [lambda: nisa.iota(t(), [[1, 1], [1, 1], [0, 2], [3, 2], [1, 2]]),
         lambda: nisa.iota(t(), []), lambda: nisa.iota(t(), [[1, 8, 1]])],
    ),
    "numbers of patterns are int32": (
        "NKI2605",
        [lambda: nisa.iota(t(), [[1, 8]], 2**31 - 1, -(2**31))],
        [lambda: nisa.iota(t(), [[1, 8]], 2**31), lambda: nisa.iota(t(), [[2**31, 8]])],
    ),
    "what is not selected becomes a float32": (
        "NKI1007",
        [lambda: nisa.affine_select(t(dtype=BF16), [[1, 8]], 0, t(), -3.0e38)],
        [lambda: nisa.affine_select(t(), [[1, 8]], 0, t(), 1e39)],
    ),
    # select_reduce
    "predicates of selections are short integers": (
        "NKI2106",
        [lambda d=d: select(d) for d in (I8, U8, I16, U16)],
        [lambda d=d: select(d) for d in (I32, U32, F32)],
    ),
    "selections take no 32-bit integers": (
        "NKI2106",
        [lambda d=d: select(true=d) for d in (F32, BF16, F16, I8, U16)],
        [lambda d=d: select(true=d) for d in (TF32, I32, U32)],
    ),
    "on_false is a number or a vector": (
        "NKI2107",
        [lambda: select(false=lambda: t(128, 1)), lambda: select(false=1)],
        [lambda: select(false=lambda: t(128, 8))],
    ),
    "the maximum is a float": (
        "NKI2106",
        [lambda: select(reduce_res=t(128, 1, dtype=BF16), reduce_cmd=CMD.reset_reduce)],
        [lambda: select(reduce_res=t(128, 1, dtype=I32), reduce_cmd=CMD.reset_reduce)],
    ),
    "selections reduce with two commands": (
        "NKI2124",
        [lambda: select(reduce_cmd=CMD.reduce), lambda: select(reduce_cmd=CMD.reset_reduce)],
        [lambda: select(reduce_cmd=CMD.reset), lambda: select(reduce_cmd=CMD.load_reduce)],
    ),
    # statistics
    "statistics are of up to 512 elements": (
        "NKI2104",
        [lambda: nisa.bn_stats(t(128, 6), t(128, 512))],
        [lambda: nisa.bn_stats(t(128, 6), t(128, 513))],
    ),
    "statistics are six numbers, and two of them aggregated": (
        "NKI2107",
        [lambda: nisa.bn_stats(t(128, 2, 3), t()), lambda: nisa.bn_aggr(t(128, 2), t(128, 6))],
        [lambda: nisa.bn_stats(t(128, 5), t()), lambda: nisa.bn_aggr(t(128, 3), t(128, 6))],
    ),
    "aggregated statistics are triples": (
        "NKI2411",
        [lambda: nisa.bn_aggr(t(128, 2), t(128, 9))],
        [lambda: nisa.bn_aggr(t(128, 2), t(128, 8))],
    ),
    "scans start with a number or a vector": (
        "NKI2107",
        [lambda: nisa.tensor_tensor_scan(t(), t(), t(), psum(128, 1), nl.add, nl.add)],
        [lambda: nisa.tensor_tensor_scan(t(), t(), t(), t(128, 8), nl.add, nl.add)],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
