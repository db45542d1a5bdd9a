"""Making, moving and choosing: creation in every memory, indices that are tiles, both roads."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

X = (np.arange(64 * 24).reshape(64, 24) % 101).astype(np.float32)
ROWS = np.array([3, 61, 0, 7, 7, 12, 30, 1], np.int32)


def run(kernel, *arrays, target="trn1"):
    return nki.jit(kernel, platform_target=target)(*arrays)


def stored(tile):
    """A new output with the contents of `tile`."""
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


# ---- creation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("buffer", [None, nl.sbuf, nl.psum])
@pytest.mark.parametrize("par", [0, 1, 2])
@pytest.mark.parametrize(("name", "value"), [("zeros", 0), ("ones", 1), ("full", 2.5)])
def test_filled_tiles_with_blocks(road, name, value, buffer, par):
    sizes = [3, 4, 5]
    sizes[par] = 16
    shape = [nl.par_dim(n) if k == par else n for k, n in enumerate(sizes)]

    def kernel(x):
        more = (value,) if name == "full" else ()
        made = getattr(nl, name)(shape, *more, dtype=nl.float32, buffer=buffer)
        assert made.shape == tuple(sizes)
        out = nl.ndarray(sizes, dtype=nl.float32, buffer=nl.shared_hbm)
        for i in nl.static_range(sizes[0] if par else 1):
            for j in nl.static_range(sizes[1] if par > 1 else 1):
                place = (i, j)[:par]
                nl.store(out[place], made[place])
        return out

    assert (run(kernel, X) == value).all()


def test_tiles_like_others(road):
    def kernel(x):
        tile = nl.load(x, dtype=nl.bfloat16)
        zeros = nl.zeros_like(tile, dtype=nl.float32)
        empty = nl.empty_like(tile)
        assert (str(empty.dtype), empty.buffer) == ("bfloat16", nl.sbuf)
        empty[...] = zeros
        return stored(empty), stored(zeros)

    for one in run(kernel, X):
        assert not np.asarray(one, np.float32).any()


def test_like_tiles_with_blocks(road):
    def kernel(x):
        blocks = nl.ndarray((2, nl.par_dim(32), 24), dtype=nl.float32)
        zeros = nl.zeros_like(blocks)
        assert zeros.shape == (2, 32, 24)
        return stored(zeros[1])

    assert not run(kernel, X).any()


@pytest.mark.parametrize("name", ["zeros", "ones", "rand", "zeros_like"])
def test_refuses_filled_tensors_in_hbm_and_placed_ones(told, name):
    placed = nki.compiler.sbuf.mod_alloc(base_addr=0)

    def kernel(x, buffer):
        of = x if name == "zeros_like" else (32, 24)
        return getattr(nl, name)(of, dtype=nl.float32, buffer=buffer)

    for buffer, code in ((nl.shared_hbm, "NKI1122"), (placed, "NKI1123")):
        assert told(lambda x, b=buffer: kernel(x, b), X)[0].startswith(code)


def test_refuses_a_filled_tensor_in_words(told):
    def kernel(x):
        return nl.full((32, 24), 1.0, dtype=nl.float32, buffer=nl.shared_hbm)

    def placed(x):
        where = nki.compiler.sbuf.mod_alloc(base_addr=0)
        return nl.full((32, 24), 1.0, dtype=nl.float32, buffer=where)

    def without(x):
        return nl.full((32, 24), "one", dtype=nl.float32)

    assert told(kernel, X) == [
        "NKI1122: nl.full makes tiles on chip; it was asked for one in shared_hbm"
    ]
    assert told(placed, X) == [
        "NKI1123: nl.full fills what it makes; a tensor in sbuf that the author places is made "
        "unfilled"
    ]
    assert told(without, X)[0].startswith("NKI1007")


def test_random_numbers(road):
    def kernel(x):
        nl.random_seed(7)
        first = nl.rand((32, 24))
        nl.random_seed(7)
        second = nl.rand((nl.par_dim(32), 24), nl.float32)
        third = nl.rand((2, nl.par_dim(32), 24))
        kept = nl.dropout(nl.load(x[0:32]), 0.5)
        return stored(first), stored(second), stored(third[1]), stored(kept)

    first, second, third, kept = run(kernel, X)
    assert np.array_equal(first, second)
    assert first.min() >= 0
    assert first.max() < 1
    assert len(np.unique(first)) > 700
    assert not np.array_equal(first, third)
    assert set(np.unique(kept == X[:32])) == {True, False}
    assert ((kept == 0) | (kept == X[:32])).all()


def test_a_seed_is_an_integer(told):
    def kernel(x):
        nl.random_seed(0.5)

    assert told(kernel, X)[0].startswith("NKI1007")


def test_constants(road):
    table = np.arange(32 * 8).reshape(32, 8).astype(np.float32)

    def kernel(x):
        half = nl.load(nl.shared_constant(table, dtype=nl.bfloat16))
        one = nl.load(nl.shared_identity_matrix(8, dtype=nl.float32))
        return stored(half), stored(one)

    values, one = run(kernel, X)
    assert np.array_equal(np.asarray(values, np.float32), table)
    assert np.array_equal(one, np.eye(8))


def test_an_identity_has_a_size(told):
    def kernel(x):
        return stored(nl.load(nl.shared_identity_matrix(0)))

    assert told(kernel, X)[0].startswith("NKI1007")


# ---- moving --------------------------------------------------------------------------------------


def test_one_dimension_of_hbm_is_a_column(road):
    def kernel(x, v):
        column = nl.load(x[0:32, 5])
        assert column.shape == (32, 1)
        i = nl.arange(16)[:, None]
        out = nl.ndarray((16,), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out[i], nl.load(v[i]))
        return stored(column), out

    vector = np.arange(16, dtype=np.float32)
    column, same = run(kernel, X, vector)
    assert np.array_equal(column[:, 0], X[:32, 5])
    assert np.array_equal(same, vector)


@pytest.mark.parametrize("start", [0, 5, 33])
def test_assignment_to_any_partition(road, start):
    def kernel(x):
        tile = nl.load(x)
        tile[start : start + 3, 4:9] = 7.0
        tile[start + 4 : start + 6, :] = nl.load(x[0:2])
        return stored(tile)

    want = X.copy()
    want[start : start + 3, 4:9] = 7
    want[start + 4 : start + 6] = X[:2]
    assert np.array_equal(run(kernel, X), want)


def test_assignment_repeats_sizes_of_one(road):
    def kernel(x):
        tile = nl.load(x)
        tile[0:32, :] = nl.load(x[1:2])
        tile[32:64, :] = nl.load(x[32:64, 3:4])
        return stored(tile)

    want = np.concatenate([np.tile(X[1], (32, 1)), np.tile(X[32:, 3:4], (1, 24))])
    assert np.array_equal(run(kernel, X), want)


def test_assignment_of_other_shapes(told):
    def rows(x):
        tile = nl.load(x)
        tile[0:32, :] = nl.load(x[0:16])

    def columns(x):
        tile = nl.load(x)
        tile[:, 0:8] = nl.load(x[:, 0:4])

    assert told(rows, X)[0].startswith("NKI2101")
    assert told(columns, X)[0].startswith("NKI2127")


def test_sums_in_hbm(road):
    def kernel(x):
        out = nl.ndarray((64, 24), dtype=nl.float32, buffer=nl.shared_hbm)
        i, j = nl.mgrid[0:64, 0:24]
        nl.store(out, 1.0)
        nl.atomic_rmw(out[i, j], nl.load(x), nl.add, mask=(i < 50))
        return out

    want = np.ones_like(X)
    want[:50] += X[:50]
    assert np.array_equal(run(kernel, X), want)


def test_copies_of_another_dtype(road):
    def kernel(x):
        tile = nl.load(x)
        return stored(nl.static_cast(tile, nl.int32)), stored(nl.copy(tile, dtype=nl.bfloat16))

    whole, half = run(kernel, X)
    assert whole.dtype == np.int32
    assert np.array_equal(whole, X)
    assert np.array_equal(np.asarray(half, np.float32), X)


def test_repeated_views(road):
    def kernel(x):
        row = nl.load(x[4:5])
        return (
            stored(nl.broadcast_to(row, shape=(32, 24))),
            stored(nl.load(x[4:5].broadcast_to((32, 24)))),
            stored(nl.load(x[:, 2:3]).broadcast_to((64, 8))),
            stored(nl.expand_dims(nl.load(x), 1).broadcast_to((64, 2, 24))),
        )

    on_chip, in_hbm, columns, third = run(kernel, X)
    assert np.array_equal(on_chip, np.tile(X[4], (32, 1)))
    assert np.array_equal(in_hbm, on_chip)
    assert np.array_equal(columns, np.tile(X[:, 2:3], (1, 8)))
    assert np.array_equal(third, np.stack([X, X], 1))


# ---- indices that are tiles ----------------------------------------------------------------------


@pytest.mark.parametrize("target", ["trn1", "trn2"])
def test_rows_by_a_tile_of_indices(road, target):
    def kernel(x, rows):
        i, j = nl.arange(8)[:, None], nl.arange(24)[None, :]
        index = nl.load(rows[i])
        out = nl.ndarray((64, 24), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, 0.0)
        chosen = nl.load(x[index[i, 0], j])
        nl.store(out[index[i, 0], j], chosen)
        return stored(chosen), out

    chosen, spread = run(kernel, X, ROWS, target=target)
    want = np.zeros_like(X)
    want[ROWS] = X[ROWS]
    assert np.array_equal(chosen, X[ROWS])
    assert np.array_equal(spread, want)


def test_rows_of_blocks_in_loops_under_a_mask(road):
    def kernel(x, rows):
        out = nl.ndarray((2, 8, 12), dtype=nl.float32, buffer=nl.shared_hbm)
        i, j = nl.arange(8)[:, None], nl.arange(12)[None, :]
        for b in nl.affine_range(2):
            nl.store(out[b], 5.0)
            index = nl.load(rows[i])
            chosen = nl.load(x[index[i, 0], b * 12 + j], mask=(i < 6))
            nl.store(out[b, i, j], chosen, mask=(i < 6))
        return out

    got = run(kernel, X, ROWS, target="trn2")
    want = np.full((2, 8, 12), 5, np.float32)
    want[:, :6] = np.stack([X[ROWS[:6], :12], X[ROWS[:6], 12:]])
    assert np.array_equal(got, want)


def test_a_block_by_an_index_of_one_element(road):
    def kernel(x, rows):
        blocks = nl.ndarray((4, nl.par_dim(16), 24), dtype=nl.float32)
        for b in nl.static_range(4):
            blocks[b] = nl.load(x[b * 16 : b * 16 + 16])
        index = nl.load(rows[7:8])
        i, j = nl.mgrid[0:16, 0:24]
        return stored(nl.copy(blocks[index, i, j]))

    assert np.array_equal(run(kernel, X, ROWS), X[16:32])


def test_places_that_no_tile_can_choose(told):
    i, j = nl.arange(8)[:, None], nl.arange(8)[None, :]

    def two(x, rows):
        index = nl.load(rows[i])
        return stored(nl.load(x[index[i, 0], index[i, 0]]))

    def wide(x, rows):
        return stored(nl.load(x[nl.load(rows[i]).broadcast_to((8, 8))[i, j], j]))

    def along(x, rows):
        return stored(nl.load(x[nl.load(rows[i])[i, 0], i + j]))

    def again(x, rows):
        return stored(nl.load(x[nl.load(rows[i]), j][0:4]))

    def reshaped(x, rows):
        return stored(nl.load(x[nl.load(rows[i]), j].reshape((8, 2, 4))))

    def on_chip(x, rows):
        return stored(nl.copy(nl.load(x)[nl.load(rows[i]), j]))

    def fractions(x, rows):
        return stored(nl.load(x[nl.load(x[0:8, 0:1]), j]))

    assert [told(one, X, ROWS)[0] for one in (two, wide, along, again, reshaped)] == [
        "NKI1125: this place cannot be found at run time: two indices are tiles, and one is "
        "possible",
        "NKI1125: this place cannot be found at run time: the tile is [8, 8], not one index per "
        "partition",
        "NKI1125: this place cannot be found at run time: another index varies along the "
        "partitions, too",
        "NKI1125: this place cannot be found at run time: a window with an index that is a tile "
        "cannot be indexed again",
        "NKI1125: this place cannot be found at run time: a window with an index that is a tile "
        "cannot be changed again",
    ]
    for one in (on_chip, fractions):
        assert told(one, X, ROWS)[0].startswith("NKI3033")


def test_gathers_elements(road):
    places = (np.arange(64 * 6).reshape(64, 6) * 5 % 24).astype(np.uint32)

    def kernel(x, p):
        i, k = nl.mgrid[0:64, 0:6]
        part = nl.gather_flattened(nl.load(x), nl.load(p), mask=(i < 32) & (k < 3))
        return stored(nl.gather_flattened(nl.load(x), nl.load(p))), stored(part[0:32, 0:3])

    want = np.take_along_axis(X, places.astype(int), 1)
    whole, part = run(kernel, X, places)
    assert np.array_equal(whole, want)
    assert np.array_equal(part, want[:32, :3])


def test_prints_what_a_mask_leaves(road, capsys):
    def kernel(x):
        tile = nl.load(x)
        i, j = nl.mgrid[0:64, 0:24]
        nl.device_print("corner", tile, mask=(i < 1) & (j < 2))
        nl.device_print("nothing", tile, mask=(i < 0))
        return stored(tile)

    run(kernel, X)
    told = capsys.readouterr().out
    assert "corner" in told
    assert "nothing" not in told
    assert "2." not in told


@pytest.mark.parametrize(("op", "want"), [(nl.add, np.sum), (np.max, np.max), (np.minimum, np.min)])
def test_what_the_trips_of_a_loop_make(road, op, want):
    def kernel(x):
        totals = nl.ndarray((2, nl.par_dim(16), 8), dtype=nl.float32)
        for k in nl.affine_range(4):
            for b in nl.affine_range(2):
                part = nl.load(x[nl.ds(k * 16, 16), nl.ds(b * 8, 8)])
                totals[b] = nl.loop_reduce(part, op=op, loop_indices=[k], dtype=nl.float32)
        return stored(totals[0]), stored(totals[1])

    found = want(X.reshape(4, 16, 24), axis=0)
    first, second = run(kernel, X)
    assert np.array_equal(first, found[:, :8])
    assert np.array_equal(second, found[:, 8:16])


def test_loops_that_cannot_be_reduced(told):
    def deciding(x):
        nl.scalar(True)

    def late(x):
        total = nl.ndarray((16, 24), dtype=nl.float32)
        for k in nl.affine_range(1, 4):
            total[...] = nl.loop_reduce(nl.load(x[nl.ds(k * 16, 16)]), nl.add, loop_indices=[k])

    def operator(x):
        nl.loop_reduce(nl.load(x), nl.subtract, loop_indices=[0])

    def nothing(x):
        nl.loop_reduce(nl.load(x), nl.add, loop_indices=[])

    assert told(deciding, X) == ["NKI1126: nl.scalar has no equal here"]
    assert told(late, X) == ["NKI1126: nl.loop_reduce has no equal here"]
    for kernel in (operator, nothing):
        assert told(kernel, X)[0].startswith("NKI1007")
