"""What the pages around the language reference do with it: tiles, indices, views, seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

F32 = nl.float32
pytestmark = pytest.mark.parametrize(
    ("target", "level"),
    [("trn1", "program"), ("trn3", "program"), *(("trn2", level) for level in RUNNERS)],
)


@pytest.fixture
def run(target, level):
    """``run(kernel, *arguments)``: the kernel's result on the target and at the level."""

    def call(kernel, *arguments):
        return nki.simulate(kernel, target=target, level=level)(*arguments)

    return call


@nki.jit
def by_parity(x):
    """Columns with even and with odd numbers."""
    columns = x.shape[1]
    tile = nl.load(x)
    made = []
    for first in (0, 1):
        part = tile[:, first:columns:2]
        out = nl.ndarray(part.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, value=part)
        made.append(out)
    return tuple(made)


@pytest.mark.parametrize("columns", [5, 8])
def test_columns_are_split_by_strided_slices(run, columns):
    x = np.arange(4 * columns, dtype=np.float32).reshape(4, columns)
    even, odd = run(by_parity, x)
    np.testing.assert_array_equal(even, x[:, 0::2])
    np.testing.assert_array_equal(odd, x[:, 1::2])


@nki.jit
def largest(x, size):
    """The largest element of every window of size x size, which a pattern walks last."""
    planes, rows, columns = x.shape
    tile = nl.load(x)
    windows = tile.ap(
        [
            [rows * columns, planes], [size * columns, rows // size], [size, columns // size],
            [columns, size], [1, size],
        ]
    )  # fmt: skip
    out = nl.ndarray(windows.shape[:3], dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.max(windows, axis=[3, 4]))
    return out


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8"])
def test_a_pattern_of_five_pairs_makes_windows_to_fold(run, rng, dtype):
    x = rng.integers(0, 200, (2, 6, 4)).astype(dtype)
    want = x.reshape(2, 3, 2, 2, 2).max(axis=(2, 4))
    np.testing.assert_array_equal(run(largest, x, 2), want)


@nki.jit
def turned_rows(x, rows, columns):
    """Every row of x, read as a matrix, transposed: once by elements, once by views."""
    tile = nl.load(x)
    one = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    for r in range(rows):
        for c in range(columns):
            at, to = r * columns + c, c * rows + r
            nisa.tensor_copy(dst=one[:, nl.ds(to, 1)], src=tile[:, nl.ds(at, 1)])
    view = tile.rearrange(("p", ("r", "c")), ("p", "c", "r"), {"r": rows})
    two = nl.copy(view).reshape(x.shape)
    outs = []
    for made in (one, two):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=made)
        outs.append(out)
    return tuple(outs)


def test_free_dimensions_are_exchanged_by_views(run):
    x = np.arange(5 * 12).astype(np.int8).reshape(5, 12)
    for got in run(turned_rows, x, 3, 4):
        np.testing.assert_array_equal(got, x.reshape(5, 3, 4).transpose(0, 2, 1).reshape(5, 12))


@nki.jit
def reciprocals(x, indexed):
    """Tiles of at most 128 rows, found by a slice object or by nl.ds."""
    rows, columns = x.shape
    most = nl.tile_size.pmax
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for k in nl.affine_range(math.ceil(rows / most)):
        first, last = k * most, min((k + 1) * most, rows)
        place = nl.ds(first, last - first) if indexed else slice(first, last)
        tile = nl.ndarray((last - first, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[place, :])
        nisa.reciprocal(dst=tile, data=tile)
        nisa.dma_copy(dst=out[place, :], src=tile)
    return out


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("rows", [100, 256, 300])
def test_tensors_of_any_height_are_tiled(run, rng, rows, indexed):
    x = rng.uniform(1, 2, (rows, 8)).astype(np.float32)
    np.testing.assert_array_equal(run(reciprocals, x, indexed), np.float32(1) / x)


@nki.jit
def shapes(x):
    """Integers drop a dimension of HBM; shapes are tuples."""
    first = nl.ndarray((2, 2, 2), dtype=F32, buffer=nl.hbm)
    assert first[1].shape == (2, 2)
    h = nl.ndarray((2, 128, 1024), dtype=F32, buffer=nl.hbm)
    assert h[1, :, :].shape == h[1].shape == (128, 1024)
    assert h[1, :, 0:512].shape == (128, 512)
    assert h[:, 1, 0:2].shape == (2, 2)
    assert type(h.shape) is tuple
    assert h.shape != [2, 128, 1024]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


def test_shapes_of_indexed_tensors(run):
    x = np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(run(shapes, x), x)


@nki.jit
def placed(x):
    """Two tiles that share partitions, side by side, at addresses of the author's."""
    rows, columns = x.shape
    left = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf, address=(0, 1024))
    right = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf, address=(0, 1024 + 4 * columns))
    nisa.dma_copy(dst=left, src=x)
    nisa.tensor_scalar(dst=right, data=left, op0=nl.multiply, operand0=2.0)
    out = nl.ndarray((2, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0], src=left)
    nisa.dma_copy(dst=out[1], src=right)
    return out


def test_tiles_lie_where_the_author_puts_them(run, rng):
    x = rng.standard_normal((32, 16)).astype(np.float32)
    np.testing.assert_array_equal(run(placed, x), [x, 2 * x])


@nki.jit
def drawn_twice(number):
    """Numbers after a seed, further ones, and those after the same seed again."""
    out = nl.ndarray((3, 16, 32), dtype=F32, buffer=nl.shared_hbm)
    seed = nl.full((1, 1), number, dtype=nl.int32, buffer=nl.sbuf)
    nl.random_seed(seed)
    nl.store(out[0], nl.rand((16, 32), dtype=F32))
    nl.store(out[1], nl.rand((16, 32), dtype=F32))
    nl.random_seed(seed)
    nl.store(out[2], nl.rand((16, 32), dtype=F32))
    return out


def test_the_same_seed_gives_the_same_numbers(run):
    first, other, again = run(drawn_twice, 42)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert ((first >= 0) & (first < 1)).all()


@nki.jit
def in_order(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    with nl.no_reorder():
        a = nl.load(x)
        b = nl.full(x.shape, 2.0, dtype=x.dtype, buffer=nl.sbuf)
        nl.store(out, nl.add(a, b))
    return out


def test_a_region_keeps_its_order(run):
    np.testing.assert_array_equal(run(in_order, np.full((8, 4), 3, np.float32)), np.full((8, 4), 5))


@nki.jit
def picked(x, indices):
    out = nl.ndarray(indices.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.gather_flattened(nl.load(x), nl.load(indices)))
    return out


@pytest.mark.parametrize("dtype", ["uint32", "int32", "uint16", "int16", "uint8", "int8"])
def test_elements_are_gathered_by_integers_of_any_width(run, rng, dtype):
    x = rng.standard_normal((16, 3, 32)).astype(np.float32)
    indices = rng.integers(0, 96, (16, 5)).astype(dtype)
    want = np.take_along_axis(x.reshape(16, 96), indices.astype(np.int64), axis=1)
    np.testing.assert_array_equal(run(picked, x, indices), want)


@nki.jit
def identities(x):
    """The transpose of an identity, and the product with one, on the way back from PSUM."""
    one = nl.shared_identity_matrix(n=128, dtype=F32)
    turned = nl.ndarray((128, 128), dtype=F32, buffer=nl.sbuf)
    nisa.tensor_copy(turned, nl.transpose(one))
    product = nl.copy(nl.matmul(one, nl.load(x), transpose_x=True))
    out = nl.ndarray((2, 128, 128), dtype=F32, buffer=nl.shared_hbm)
    nl.store(out[0], nl.equal(turned, one))
    nl.store(out[1], product)
    return out


def test_identities(run, rng):
    x = rng.integers(-9, 9, (128, 128)).astype(np.float32)
    same, product = run(identities, x)
    assert (same == 1).all()
    np.testing.assert_array_equal(product, x)
