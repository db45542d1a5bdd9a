"""Kernels of the first generation without symbolic loops are the same BIR by both roads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl
from opennki.birpy.compare import difference
from opennki.driver import compile_kernel

X = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
ROWS = np.arange(8, dtype=np.int32)


def stored(tile):
    """A new output with the contents of `tile`."""
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


def combining(x, rows):
    a, b = nl.load(x), nl.load(x[0:1])
    c = nl.where(a > b, a, 0.5)
    c[3:5, 0:7] = 2.0
    c -= nl.load(x[:, 0:1])
    return stored(c)


def folding(x, rows):
    i, j = nl.mgrid[0:32, 0:32]
    a = nl.load(x, mask=(j < 20))
    total = nl.sum(a, axis=1, mask=(i < 16) & (j < 20), keepdims=True)
    return stored(nl.softmax(nl.load(x), axis=1)), stored(total[0:16])


def multiplying(x, rows):
    a = nl.load(x, dtype=nl.bfloat16)
    product = nl.matmul(a, nl.transpose(a), mask=nl.arange(32)[:, None] < 16)
    return stored(product[0:16]), stored(nl.load_transpose2d(x))


def gathering(x, rows):
    i, j = nl.arange(8)[:, None], nl.arange(32)[None, :]
    chosen = nl.load(x[nl.load(rows[i])[i, 0], j], mask=(i < 5))
    return stored(chosen[0:5])


def placing(x, rows):
    tiles = nl.ndarray(
        (2, nl.par_dim(32), 32), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=512)
    )
    for b in nl.static_range(2):
        tiles[b] = nl.load(x) + float(b)
    return stored(tiles[0]), stored(tiles[1])


def launching(x, rows):
    i = nl.program_id(0)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[i * 8 : i * 8 + 8], nl.exp(nl.load(x[i * 8 : i * 8 + 8])))
    return out


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize(
    ("kernel", "grid"),
    [
        (combining, None), (folding, None), (multiplying, None), (gathering, None),
        (placing, None), (launching, (4,)), (launching, (nl.nc(2) * 2,)),
    ],
)  # fmt: skip
def test_the_same_bir(kernel, grid, target):
    made = nki.jit(kernel, platform_target=target, grid=grid)
    if target == "trn1" and grid and not isinstance(grid[0], int):
        pytest.skip("trn1 has one core per logical core")
    options = made.request.resolve()
    first, second = (
        compile_kernel(kernel, (X, ROWS), {}, replace(options, frontend=road)).bir
        for road in ("beta3", "beta2")
    )
    assert difference(first, second) is None
