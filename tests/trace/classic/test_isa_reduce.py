"""Reductions, scans and statistics of the first generation."""

from __future__ import annotations

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

F32_SUM = {"rtol": 1e-5}  # at most 128 numbers, added in another order


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def folds(a):
    x = nl.load(a)
    return (
        stored(nisa.tensor_reduce(np.add, x, axis=[2])),
        stored(nisa.tensor_reduce(np.max, x, (1, 2), negate=True)),
        stored(nisa.tensor_reduce(nl.minimum, x, axis=2, keepdims=True)),
        stored(nisa.tensor_reduce(np.add, x, [1, 2], keepdims=True, dtype=nl.bfloat16)),
    )


def test_reductions_have_the_published_shapes(road):
    a = np.arange(32 * 4 * 6, dtype=np.float32).reshape(32, 4, 6) % 11
    last, largest, least, everything = folds(a)
    np.testing.assert_array_equal(last, a.sum(axis=2))
    np.testing.assert_array_equal(largest, -a.max(axis=(1, 2)).reshape(32, 1))
    np.testing.assert_array_equal(least, a.min(axis=2, keepdims=True))
    assert everything.shape == (32, 1, 1)
    np.testing.assert_array_equal(everything.astype(np.float32), a.sum((1, 2), keepdims=True))


@nki.jit
def part_of_a_fold(a):
    i_p, i_y, i_x = nl.mgrid[0:32, 0:4, 0:6]
    out = nisa.memset((32, 4), -1.0, nl.float32)
    kept = nisa.tensor_reduce(np.add, nl.load(a), axis=[2], mask=(i_p < 20) & (i_y < 3) & (i_x < 5))
    out[0:20, 0:3] = kept[0:20, 0:3]
    return stored(out)


def test_a_mask_leaves_out_what_is_folded(road):
    a = np.arange(32 * 4 * 6, dtype=np.float32).reshape(32, 4, 6) % 11
    want = np.full((32, 4), -1, np.float32)
    want[:20, :3] = a[:20, :3, :5].sum(axis=2)
    np.testing.assert_array_equal(part_of_a_fold(a), want)


@nki.jit
def pooled(a):
    i_p, i_y, i_k, i_x, i_l = nl.mgrid[0:16, 0:3, 0:2, 0:4, 0:2]
    x = nl.load(a)
    windows = x[i_p, 2 * i_y + i_k, 2 * i_x + i_l]
    largest = nisa.tensor_reduce(nl.maximum, windows, axis=(2, 4))
    rows = nisa.tensor_reduce(np.add, x, axis=1, keepdims=True, mask=None)
    return stored(largest), stored(rows)


def test_folded_dimensions_need_not_be_the_last(road):
    a = np.arange(16 * 6 * 8, dtype=np.float32).reshape(16, 6, 8) % 13
    largest, rows = pooled(a)
    np.testing.assert_array_equal(largest, a.reshape(16, 3, 2, 4, 2).max(axis=(2, 4)))
    np.testing.assert_array_equal(rows, a.sum(axis=1, keepdims=True))


def test_an_axis_of_partitions_is_refused(told):
    def kernel(a):
        return stored(nisa.tensor_reduce(np.add, nl.load(a), axis=[0, 1]))

    (text,) = told(kernel, np.ones((16, 8), np.float32))
    assert text.startswith("NKI2401")


@nki.jit
def of_partitions(a):
    i_p, _, i_x = nl.mgrid[0:64, 0:3, 0:5]
    x = nl.load(a)
    out = nisa.memset((1, 3, 5), 0.0, nl.float32)
    kept = nisa.tensor_partition_reduce(np.add, x, mask=(i_p < 32) & (i_x < 4))
    out[0:1, 0:3, 0:4] = kept[0:1, 0:3, 0:4]
    return stored(nisa.tensor_partition_reduce(nl.maximum, x)), stored(out)


def test_partitions_are_folded(road):
    a = np.arange(64 * 15, dtype=np.float32).reshape(64, 3, 5) % 13
    largest, part = of_partitions(a)
    np.testing.assert_array_equal(largest, a.max(axis=0, keepdims=True))
    np.testing.assert_array_equal(part[..., :4], a[:32, :, :4].sum(axis=0, keepdims=True))
    np.testing.assert_array_equal(part[..., 4], np.zeros((1, 3)))


@nki.jit
def scans(a, b, start):
    x, y, first = nl.load(a), nl.load(b), nl.load(start)
    total = nl.ndarray((32, 1), nl.float32)
    running = nl.ndarray((32, 16), nl.float32)
    result = nisa.tensor_scalar_reduce(
        data=x, op0=np.multiply, operand0=first, reduce_op=np.add, reduce_res=total
    )
    nisa.tensor_scalar_cumulative(
        src=x, dst=running, op0=np.add, op1=np.max, imm0=first,
        reduce_cmd=nisa.reduce_cmd.reset_reduce,
    )  # fmt: skip
    scanned = nisa.tensor_tensor_scan(x, y, initial=first, op0=np.multiply, op1=np.add)
    return stored(result), stored(total), stored(running), stored(scanned)


def test_running_values_and_scans(road, rng):
    a, b = rng.random((32, 16), np.float32), rng.random((32, 16), np.float32)
    start = rng.random((32, 1), np.float32)
    result, total, running, scanned = scans(a, b, start)
    np.testing.assert_array_equal(result, a * start)
    np.testing.assert_allclose(total, (a * start).sum(axis=1, keepdims=True), **F32_SUM)
    np.testing.assert_array_equal(running, np.maximum.accumulate(a + start, axis=1))
    value = start[:, 0]
    for f in range(16):
        value = a[:, f] * value + b[:, f]
        np.testing.assert_allclose(scanned[:, f], value, **F32_SUM)


@nki.jit
def statistics(a):
    i_p, i_f = nl.mgrid[0:32, 0:6]
    x = nl.load(a)
    whole, part = nisa.bn_stats(x), nisa.bn_stats(x[i_p, i_f], mask=i_f < 4)
    return stored(nisa.bn_aggr(whole)), stored(nisa.bn_aggr(part, dtype=nl.float32))


def test_statistics(road, rng):
    a = rng.random((32, 20), np.float32)
    whole, part = statistics(a)
    np.testing.assert_allclose(whole, np.stack([a.mean(1), a.var(1)], 1), rtol=1e-5)
    first = a[:, :4]
    np.testing.assert_allclose(part, np.stack([first.mean(1), first.var(1)], 1), rtol=1e-5)


@nki.jit
def largest_eight(a):
    x = nl.load(a)
    i_p, i_f = nl.mgrid[0:32, 0:8]
    top = nisa.max8(src=x)
    return stored(top), stored(nisa.max8(src=x[i_p, i_f], mask=i_p < 32))


def test_the_eight_largest(road, rng):
    a = rng.random((32, 20), np.float32)
    top, first = largest_eight(a)
    np.testing.assert_array_equal(top, -np.sort(-a, axis=1)[:, :8])
    np.testing.assert_array_equal(first, -np.sort(-a[:, :8], axis=1))


@nki.jit
def assigned(a):
    i_p, i_y, _i_x = nl.mgrid[0:32, 0:4, 0:6]
    x = nl.load(a)
    total, top = nisa.memset((32, 4), -1.0, nl.float32), nisa.memset((32, 8), -1.0, nl.float32)
    square = nisa.memset((32, 32), -1.0, nl.float32)
    never = nisa.memset((32, 1), -1.0, nl.float32)
    i_r, i_c = nl.mgrid[0:32, 0:32]
    wide = nisa.iota(i_r * 32 + i_c, nl.float32)
    total[...] = nisa.tensor_reduce(np.add, x, axis=[2], mask=(i_p < 20) & (i_y >= 1))
    top[...] = nisa.max8(src=x, mask=i_p < 5)
    square[...] = nisa.nc_transpose(wide[i_r, i_c], mask=(i_r < 10) & (i_c < 20))
    for i in nl.affine_range(2):
        never[...] = nisa.tensor_reduce(np.add, x, axis=[1, 2], mask=i_p + i * 0 < 0)
    return stored(total), stored(top), stored(square), stored(never)


def test_what_the_mask_leaves_out_is_not_assigned(road):
    a = np.arange(32 * 4 * 6, dtype=np.float32).reshape(32, 4, 6) % 11
    total, top, square, never = assigned(a)
    want = np.full((32, 4), -1, np.float32)
    want[:20, 1:] = a[:20, 1:].sum(axis=2)
    np.testing.assert_array_equal(total, want)
    want = np.full((32, 8), -1, np.float32)
    want[:5] = -np.sort(-a.reshape(32, 24), axis=1)[:5, :8]
    np.testing.assert_array_equal(top, want)
    want = np.full((32, 32), -1, np.float32)
    want[:20, :10] = np.arange(1024).reshape(32, 32).T[:20, :10]
    np.testing.assert_array_equal(square, want)
    np.testing.assert_array_equal(never, np.full((32, 1), -1))
