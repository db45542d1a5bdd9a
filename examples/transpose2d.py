"""Two kinds of transpose: by a view, and through the PE array.

`transpose_free` exchanges two *free* dimensions. That moves nothing between partitions, so a copy
from a permuted view does it. `transpose` exchanges rows and columns of a matrix of any size, where
partitions become free elements: blocks of 128 x 128 pass through the PE array, several of them fill
a PSUM bank, and one copy empties it.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

BLOCK = 128
# Data is moved, never computed with: results are equal.
TOLERANCE = 0.0


@nki.jit
def transpose_free(x, height, width):
    """Each row of x, a (height, width) matrix, transposed: (rows, width * height)."""
    rows = x.shape[0]
    out = nl.ndarray((rows, width * height), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(0, rows, nl.tile_size.pmax):
        p = min(nl.tile_size.pmax, rows - r)
        tile = nl.ndarray((p, height, width), dtype=x.dtype, buffer=nl.sbuf)
        turned = nl.ndarray((p, width, height), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r : r + p])
        nisa.tensor_copy(dst=turned, src=tile.permute((0, 2, 1)))
        nisa.dma_copy(dst=out[r : r + p], src=turned)
    return out


@nki.jit
def transpose(x):
    """``x.T`` of a (rows, columns) matrix."""
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    bank = nl.tile_size.psum_fmax  # rows of x that fill one PSUM bank as float32
    for r in range(0, rows, bank):
        high = min(bank, rows - r)
        strip = load_rows(x, r, high)
        for c in range(0, columns, BLOCK):
            wide = min(BLOCK, columns - c)
            turned = nl.ndarray((wide, high), dtype=x.dtype, buffer=nl.psum)
            for i, part in enumerate(strip):
                piece = turned[:, i * BLOCK : i * BLOCK + part.shape[0]]
                nisa.nc_transpose(dst=piece, data=part[:, c : c + wide], engine=nisa.engine.tensor)
            tile = nl.ndarray((wide, high), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=tile, src=turned)
            nisa.dma_copy(dst=out[c : c + wide, r : r + high], src=tile)
    return out


def load_rows(x, start, count):
    """Rows of x in tiles of up to 128, each with all columns."""
    tiles = []
    for r in range(start, start + count, BLOCK):
        p = min(BLOCK, start + count - r)
        tile = nl.ndarray((p, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r : r + p])
        tiles.append(tile)
    return tiles


def run(rows=1000, columns=700, dtype=np.float32, **options):
    """Results of `transpose` and of NumPy; `options` are those of nki.simulate."""
    x = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)
    return nki.simulate(transpose, **options)(x), x.T


def run_free(rows=200, height=20, width=30, dtype=np.float32, **options):
    """Results of `transpose_free` and of NumPy; `options` are those of nki.simulate."""
    x = np.random.default_rng(0).standard_normal((rows, height * width)).astype(dtype)
    want = x.reshape(rows, height, width).transpose(0, 2, 1).reshape(rows, -1)
    return nki.simulate(transpose_free, **options)(x, height, width), want


def main() -> int:
    """Check both kernels and dtypes; 0 if they are right."""
    failed = 0
    for name, runner in (("transpose", run), ("transpose_free", run_free)):
        for dtype in (np.float32, ml_dtypes.bfloat16):
            got, want = runner(dtype=dtype)
            error = float(np.abs(got.astype(np.float32) - want.astype(np.float32)).max())
            good = error <= TOLERANCE
            print(f"{name} {np.dtype(dtype)}: error {error:.1e}, {'pass' if good else 'FAIL'}")
            failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
