"""Softmax over rows, numerically stable, with five instructions per tile.

The scalar engine sums while it exponentiates, so a row is read three times: for its maximum, for
the exponential with its sum, and for the division.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

# Results are at most 1, so half a unit of the dtype's precision, and a few float32 roundings.
TOLERANCE = {np.dtype(np.float32): 1e-6, np.dtype(ml_dtypes.bfloat16): 2.0**-8}


@nki.jit
def softmax(x):
    """``exp(x - max) / sum`` along the last dimension of (rows, columns)."""
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(0, rows, nl.tile_size.pmax):
        p = min(nl.tile_size.pmax, rows - r)
        tile = nl.ndarray((p, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r : r + p])
        minus_max = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=minus_max, op=nl.maximum, data=tile, axis=1, negate=True)
        powers = nl.ndarray((p, columns), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(
            dst=powers, op=nl.exp, data=tile, bias=minus_max, reduce_op=nl.add, reduce_res=total
        )
        nisa.reciprocal(dst=total, data=total)
        nisa.tensor_scalar(dst=tile, data=powers, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=out[r : r + p], src=tile)
    return out


def run(rows=500, columns=2000, dtype=np.float32, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    x = (10 * np.random.default_rng(0).standard_normal((rows, columns))).astype(dtype)
    exact = x.astype(np.float64)
    powers = np.exp(exact - exact.max(axis=1, keepdims=True))
    return nki.simulate(softmax, **options)(x), powers / powers.sum(axis=1, keepdims=True)


def main() -> int:
    """Check both dtypes; 0 if they are right."""
    failed = 0
    for dtype, tolerance in TOLERANCE.items():
        got, want = run(dtype=dtype)
        error = float(np.abs(got.astype(np.float64) - want).max())
        good = error <= tolerance
        verdict = "pass" if good else "FAIL"
        print(f"softmax {dtype}: error {error:.1e} <= {tolerance:.1e} {verdict}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
