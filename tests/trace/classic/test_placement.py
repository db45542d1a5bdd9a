"""Tensors that the author places: where blocks go, and that loops over them give the values."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl
from opennki.driver import compile_kernel

X = np.arange(4 * 32 * 8, dtype=np.float32).reshape(4, 32, 8)


def copying(buffer):
    """A kernel that takes its argument through a tensor of four blocks in `buffer`."""

    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray((4, nl.par_dim(32), 8), dtype=x.dtype, buffer=buffer)
        i, j = nl.mgrid[0:32, 0:8]
        for b in nl.affine_range(4):
            tiles[b] = nl.load(x[b])
            nl.store(out[b], nl.copy(tiles[b, i, j]))
        return out

    return nki.jit(kernel)


def tensors(kernel):
    """Shape and address of every placed tensor."""
    options = kernel.request.resolve()
    made = compile_kernel(kernel.fn, (X,), {}, options).traces[0].function.tensors.values()
    return [(t.shape, t.start_partition, t.address) for t in made if t.address is not None]


def loops(kernel):
    """How many loops are left in the body of a kernel."""
    compiled = compile_kernel(kernel.fn, (X,), {}, kernel.request.resolve())
    return compiled.text("penguin").count("affine(")


def every_other(idx, partitions, size):
    return 0, 4096 + 2 * size * idx[0]


def by_hand(idx, partitions, size):
    return 32 * (idx[0] % 2), 512 * (idx[0] // 2)


PLACES = {
    "all apart": (ncc.sbuf.mod_alloc(base_addr=256, num_free_tiles=(4,)), [((32, 32), 0, 256)], 1),
    "all in one": (ncc.sbuf.mod_alloc(base_addr=256), [((32, 8), 0, 256)] * 4, 0),
    "two in turns": (
        ncc.sbuf.mod_alloc(base_addr=256, num_free_tiles=(2,)),
        [((32, 8), 0, 256), ((32, 8), 0, 288)] * 2, 0,
    ),
    "partitions": (
        ncc.sbuf.mod_alloc(base_addr=0, num_par_tiles=(4,)),
        [((32, 8), 32 * k, 0) for k in range(4)], 0,
    ),
    "a function": (ncc.sbuf.alloc(every_other), [((32, 56), 0, 4096)], 1),
    "another": (
        ncc.sbuf.alloc(by_hand),
        [((32, 8), 0, 0), ((32, 8), 32, 0), ((32, 8), 0, 512), ((32, 8), 32, 512)], 0,
    ),
    "banks": (
        ncc.psum.mod_alloc(base_bank=1, num_bank_tiles=(2,)),
        [((32, 8), 0, 2048), ((32, 8), 0, 4096)] * 2, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_places_of_blocks(road, name):
    buffer, where, rolled = PLACES[name]
    kernel = copying(buffer)
    assert tensors(kernel) == where
    assert np.array_equal(kernel(X), X)
    if road == "beta3":
        assert loops(kernel) == rolled


def test_a_tensor_without_blocks():
    def kernel(x):
        where = ncc.sbuf.mod_alloc(base_addr=1024, base_partition=32, num_free_tiles=(1,))
        tile = nl.ndarray((nl.par_dim(32), 8), dtype=x.dtype, buffer=where)
        tile[...] = nl.load(x[0])
        out = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, tile)
        return out

    made = nki.jit(kernel)
    assert tensors(made) == [((32, 8), 32, 1024)]
    assert np.array_equal(made(X), X[0])


def test_the_compiler_places_the_rest():
    assert ncc.sbuf.auto_alloc() is nl.sbuf
    assert np.array_equal(copying(ncc.psum.auto_alloc())(X), X)


def test_refuses_what_is_no_place(told):
    def through(buffer, index=0):
        def kernel(x):
            tiles = nl.ndarray((2, nl.par_dim(32), 8), dtype=x.dtype, buffer=buffer)
            tiles[index] = nl.load(x[0])

        return kernel

    turns = ncc.sbuf.mod_alloc(base_addr=0, num_par_tiles=(2,))
    assert told(through(ncc.sbuf.alloc(lambda idx, p, f: 7)), X) == [
        "NKI1124: block (0,): int 7, and it takes (partition, byte)"
    ]
    assert told(through(ncc.psum.alloc(lambda idx, p, f: (0, 0))), X)[0].endswith(
        "and it takes (bank, partition, byte)"
    )
    assert told(through(ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2))), X) == [
        "NKI1124: block (0,): 2, and it takes 1 numbers in num_free_tiles, one per block dimension"
    ]
    assert told(through(turns, slice(0, 2)), X)[0].startswith("NKI1124")
    assert told(through(turns, ...), X) == [
        "NKI1124: block tiles: slice slice(None, None, None), and it takes one block at a time, as "
        "each has a place of its own"
    ]
    assert told(through(turns, 2), X)[0].startswith("NKI1124")
    assert told(through(ncc.sbuf.alloc(lambda idx, p, f: (100, 0))), X)[0].startswith("NKI3009")


def test_refuses_all_blocks_at_once(told):
    def whole(use):
        def kernel(x):
            where = ncc.sbuf.mod_alloc(base_addr=0)
            use(nl.ndarray((2, nl.par_dim(32), 8), dtype=x.dtype, buffer=where))

        return kernel

    for use in (lambda t: nl.exp(t), lambda t: t.reshape((2, 32, 2, 4)), lambda t: t + 1.0):
        assert "all of them" in told(whole(use), X)[0]


def test_refuses_allocators_that_are_none(told):
    def function(x):
        ncc.sbuf.alloc(0)

    def tiles(x):
        ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=("two",))

    for kernel in (function, tiles):
        assert told(kernel, X)[0].startswith("NKI1007")


# ---- more blocks than there is room for ----------------------------------------------------------


def test_blocks_share_memory_when_there_are_many(road):
    def kernel(x):
        out = nl.ndarray((40, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
        sums = nl.ndarray((40, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.psum)
        tiles = nl.zeros((5, 8, nl.par_dim(128), 2048), dtype=nl.float32)
        for a in nl.affine_range(5):
            for b in nl.affine_range(8):
                for _ in nl.affine_range(2):
                    tiles[a, b, :, 0:512] += nl.load(x[a * 8 + b])
                sums[a * 8 + b] = nl.copy(tiles[a, b, :, 0:512])
                nl.store(out[a * 8 + b], sums[a * 8 + b])
        return out

    x = np.arange(40 * 128 * 512, dtype=np.float32).reshape(40, 128, 512)
    assert np.array_equal(nki.jit(kernel)(x), 2 * x)


def test_a_tensor_like_separate_blocks():
    def kernel(x):
        where = ncc.sbuf.mod_alloc(base_addr=0)
        blocks = nl.ndarray((2, nl.par_dim(32), 8), dtype=x.dtype, buffer=where)
        assert [t.address for t in blocks.tensors] == [0, 0]
        like = nl.zeros_like(blocks)
        blocks[1] = nl.load(x[1])
        like[1] = blocks[1]
        out = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, like[-1])
        return out

    assert np.array_equal(nki.jit(kernel)(X), X[1])
