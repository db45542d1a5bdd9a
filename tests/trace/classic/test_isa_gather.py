"""Searches, gathers, shuffles and transfers of the first generation."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def searched(a):
    x = nl.load(a)
    i_p, i_f = nl.mgrid[0:32, 0:16]
    top = nisa.max8(src=x)
    places = nl.ndarray((32, 8), nl.uint32)
    replaced = nisa.nc_match_replace8(data=x, vals=top, imm=-1.0, dst_idx=places)
    x[i_p, i_f] = nisa.nc_match_replace8(data=x[i_p, i_f], vals=top, imm=0.0)
    found = nisa.nc_find_index8(data=replaced, vals=nisa.max8(src=replaced), dtype=nl.uint16)
    return stored(places), stored(replaced), stored(x), stored(found)


def test_searches(road, rng):
    a = rng.permuted(np.tile(np.arange(1, 17, dtype=np.float32), (32, 1)), axis=1)
    places, replaced, in_place, found = searched(a)
    order = np.argsort(-a, axis=1)
    assert places.dtype == np.uint32
    np.testing.assert_array_equal(places, order[:, :8])
    np.testing.assert_array_equal(replaced, np.where(a > 8, -1, a))
    np.testing.assert_array_equal(in_place, np.where(a > 8, 0, a))
    assert found.dtype == np.uint16
    np.testing.assert_array_equal(found, order[:, 8:])


@nki.jit
def gathered(a, index):
    x, places = nl.load(a), nl.load(index)
    return (
        stored(nisa.local_gather(x, places, 4, 32)),
        stored(nisa.local_gather(x, places)),
        stored(nisa.local_gather(x, places, num_valid_indices=20)),
    )


def test_gathers_have_a_dimension_for_the_partitions_of_a_group(road, rng):
    a = rng.random((32, 64), np.float32)
    index = rng.integers(0, 60, (32, 2), np.uint16)
    runs, single, some = gathered(a, index)
    assert (runs.shape, single.shape, some.shape) == ((32, 2, 16, 4), (32, 2, 16, 1), (32, 20, 1))
    for p in range(32):
        chosen = index[p // 16 * 16 :][:16].flatten(order="F")
        np.testing.assert_array_equal(single[p].ravel(), a[p, chosen])
        np.testing.assert_array_equal(some[p].ravel(), a[p, chosen[:20]])
        np.testing.assert_array_equal(runs[p, 1, 3], a[p, chosen[19] :][:4])


@nki.jit
def shuffled(a):
    x = nl.load(a)
    i_p, i_f = nl.mgrid[0:64, 0:8]
    out = nisa.memset((64, 8), -1.0, nl.float32)
    turn = [(i + 1) % 32 for i in range(32)]
    nisa.nc_stream_shuffle(x[i_p, i_f], out[i_p, i_f], turn, mask=(i_p >= 32) & (i_f < 6))
    nisa.nc_stream_shuffle(src=x[0:1, :], dst=out[0:32, :], shuffle_mask=[0] * 31 + [255])
    return stored(out)


def test_shuffles_write_what_a_mask_leaves(road, rng):
    a = rng.random((64, 8), np.float32)
    want = np.full((64, 8), -1, np.float32)
    want[32:, :6] = np.roll(a[32:], -1, axis=0)[:, :6]
    want[:31] = a[0]
    np.testing.assert_array_equal(shuffled(a), want)


def test_a_shuffle_cannot_begin_inside_of_a_group(told):
    def kernel(a):
        x = nl.load(a)
        i_p, i_f = nl.mgrid[0:64, 0:8]
        nisa.nc_stream_shuffle(x, x[i_p, i_f], list(range(32)), mask=i_p >= 5)
        return stored(x)

    assert told(kernel, np.ones((64, 8), np.float32)) == [
        "NKI1101: the mask of nki.isa.nc_stream_shuffle cuts a dimension that must be whole: `dst` "
        "is shuffled by groups of 32 partitions"
    ]


@nki.jit
def moved(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:64, 0:8]
    tile = nisa.memset((64, 8), 2.0, nl.float32)
    nisa.dma_copy(dst=tile[i_p, i_f], src=b[i_p, i_f], mask=i_p < 40, oob_mode=0)
    nisa.dma_copy(dst=out, src=a, dge_mode=nisa.dge_mode.swdge)
    nisa.dma_copy(dst=out, src=tile, dst_rmw_op=np.add)
    return out


def test_transfers_may_add(road):
    a = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
    b = np.full((40, 8), 7, np.float32)
    want = a + np.where(np.arange(64)[:, None] < 40, 7, 2)
    np.testing.assert_array_equal(moved(a, b), want)


@nki.jit
def swapped(a, b):
    i_p, i_f = nl.mgrid[0:16, 0:32]
    part = nisa.memset((32, 16), 0.0, nl.float32)
    kept = nisa.dma_transpose(a[i_p, i_f], mask=(i_p < 10) & (i_f < 20), dge_mode=0)
    part[0:20, 0:10] = kept[0:20, 0:10]
    return (
        stored(nisa.dma_transpose(a, dtype=nl.int32)),
        stored(nisa.dma_transpose(nl.load(b), axes=(2, 1, 0))),
        stored(part),
    )


def test_transfers_transpose(road):
    a = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    b = np.arange(16 * 3 * 8, dtype=np.float32).reshape(16, 3, 8)
    integers, three, part = swapped(a, b)
    assert integers.dtype == np.int32
    np.testing.assert_array_equal(integers, a.T)
    np.testing.assert_array_equal(three, b.transpose(2, 1, 0))
    want = np.zeros((32, 16), np.float32)
    want[:20, :10] = a.T[:20, :10]
    np.testing.assert_array_equal(part, want)


@nki.jit
def of_psum(a):
    i_p, i_f = nl.mgrid[0:32, 0:64]
    x = nisa.activation(nl.copy, nl.load(a), buffer=nl.psum)
    places = nisa.memset((32, 1), 0, nl.uint16)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return (
        out,
        stored(nisa.affine_select(i_f >= i_p, x, 0.0)),
        stored(nisa.tensor_partition_reduce(np.add, x)),
        stored(nisa.dma_transpose(x)),
        stored(nisa.local_gather(x, places, num_valid_indices=16)),
    )


def test_what_does_not_reach_psum_gets_a_copy(road):
    a = np.arange(32 * 64, dtype=np.float32).reshape(32, 64) % 100
    p, f = np.mgrid[0:32, 0:64]
    copied, upper, total, turned, gathered_ = of_psum(a)
    np.testing.assert_array_equal(copied, a)
    np.testing.assert_array_equal(upper, np.where(f >= p, a, 0))
    np.testing.assert_array_equal(total, a.sum(axis=0, keepdims=True))
    np.testing.assert_array_equal(turned, a.T)
    np.testing.assert_array_equal(gathered_[:, 0, :, 0], np.repeat(a[:, :1], 16, axis=1))


@nki.jit
def never(a):
    i_p, i_f = nl.mgrid[0:32, 0:8]
    out = nl.ndarray((2, 32, 8), dtype=a.dtype, buffer=nl.shared_hbm)
    x = nl.load(a)
    for i in nl.affine_range(2):
        tile = nisa.memset((32, 8), 1.0, nl.float32)
        nisa.dma_copy(dst=tile, src=a[i * 32 + i_p, i_f], mask=i * 32 + i_p < 32)
        nisa.tensor_copy_predicated(
            src=-1.0, dst=tile, predicate=nisa.tensor_copy(x, dtype=nl.uint8), mask=i >= 2
        )
        nl.store(out[i], tile)
    return out


def test_nothing_is_done_where_the_mask_never_holds(road):
    a = np.arange(32 * 8, dtype=np.float32).reshape(32, 8)
    np.testing.assert_array_equal(never(a), [a, np.ones_like(a)])


def rows(a, places):
    _, i_f = nl.mgrid[0:16, 0:8]
    index = nl.load(places)
    near = nisa.memset((16, 8), -1.0, nl.float32)
    nisa.dma_copy(dst=near, src=a[index, i_f], oob_mode=nisa.oob_mode.skip)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=a)
    nisa.dma_copy(dst=out[nisa.iota(nl.arange(16)[:, None] * 2, nl.int32), i_f], src=near)
    index_of_sums = nisa.iota(nl.arange(16)[:, None] + 1, nl.int32)
    nisa.dma_copy(dst=out[index_of_sums, i_f], src=near, dst_rmw_op=np.add)
    return stored(near), out


@pytest.mark.parametrize("target", ["trn1", "trn2"])
def test_rows_are_found_by_indices_on_every_target(road, target):
    a = np.arange(32 * 8, dtype=np.float32).reshape(32, 8)
    places = (np.arange(16, dtype=np.int32) * 3).reshape(16, 1)
    near, out = nki.jit(rows, platform_target=target)(a, places)
    inside = np.arange(16) * 3 < 32
    want = np.where(inside[:, None], a[np.minimum(places[:, 0], 31)], -1)
    np.testing.assert_array_equal(near, want)
    scattered = a.copy()
    scattered[::2] = want
    scattered[1:17] += want
    np.testing.assert_array_equal(out, scattered)
