"""Element-wise addition: the smallest whole kernel, tiled over rows and columns.

A tile has at most 128 rows, because each row lies in a partition of its own. Columns are cut so
that tiles stay small enough for loading, adding and storing to overlap.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

COLUMNS = 2048
# One addition, rounded once by either side: results are equal, not just close.
TOLERANCE = 0.0


@nki.jit
def tensor_add(a, b):
    """``a + b`` for two (rows, columns) arrays of one dtype and any size."""
    rows, columns = a.shape
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    for r in range(0, rows, nl.tile_size.pmax):
        for c in range(0, columns, COLUMNS):
            p, f = min(nl.tile_size.pmax, rows - r), min(COLUMNS, columns - c)
            x = nl.ndarray((p, f), dtype=a.dtype, buffer=nl.sbuf)
            y = nl.ndarray((p, f), dtype=b.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=x, src=a[r : r + p, c : c + f])
            nisa.dma_copy(dst=y, src=b[r : r + p, c : c + f])
            nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)
            nisa.dma_copy(dst=out[r : r + p, c : c + f], src=x)
    return out


def run(rows=1000, columns=3000, dtype=np.float32, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((rows, columns)).astype(dtype) for _ in range(2))
    return nki.simulate(tensor_add, **options)(a, b), a + b


def main() -> int:
    """Check both dtypes; 0 if they are right."""
    failed = 0
    for dtype in (np.float32, ml_dtypes.bfloat16):
        got, want = run(dtype=dtype)
        error = float(np.abs(got.astype(np.float32) - want.astype(np.float32)).max())
        good = error <= TOLERANCE
        print(f"tensor_add {np.dtype(dtype)}: error {error:.1e}, {'pass' if good else 'FAIL'}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
