"""RMS normalisation: ``x / sqrt(mean(x ** 2) + eps) * weight`` along rows.

Squares are summed by the scalar engine as it makes them. The square root of the mean needs no
instruction of its own either: scale and bias of the activation turn a sum into ``sum / n + eps``. A
last instruction multiplies by a number per row and by the weights. The weights, one row in HBM,
reach all partitions by a DMA that reads the row again for each of them.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

# Results are below 8 or so; float32 sums of `columns` squares lose a few units in the last place.
TOLERANCE = {np.dtype(np.float32): 8e-6, np.dtype(ml_dtypes.bfloat16): 8 * 2.0**-8}


@nki.jit
def rms_norm(x, weight, eps):
    """Normalise each row of (rows, columns) and multiply by the (columns,) weights."""
    rows, columns = x.shape
    pmax = nl.tile_size.pmax
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    weights = nl.ndarray((pmax, columns), dtype=weight.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=weights, src=weight.expand_dim(0).broadcast(0, pmax))
    eps_tile = nl.ndarray((pmax, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=eps_tile, value=eps)
    for r in range(0, rows, pmax):
        p = min(pmax, rows - r)
        tile = nl.ndarray((p, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r : r + p])
        result = nl.ndarray((p, columns), dtype=x.dtype, buffer=nl.sbuf)  # holds squares first
        scale = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(
            dst=result, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=scale
        )
        nisa.activation(dst=scale, op=nl.rsqrt, data=scale, scale=1 / columns, bias=eps_tile[0:p])
        nisa.scalar_tensor_tensor(
            dst=result, data=tile, op0=nl.multiply, operand0=scale,
            op1=nl.multiply, operand1=weights[0:p],
        )  # fmt: skip
        nisa.dma_copy(dst=out[r : r + p], src=result)
    return out


def run(rows=500, columns=1500, dtype=np.float32, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, columns)).astype(dtype)
    weight = rng.uniform(0.5, 1.5, columns).astype(dtype)
    exact, eps = x.astype(np.float64), 1e-5
    want = exact / np.sqrt((exact**2).mean(axis=1, keepdims=True) + eps) * weight.astype(float)
    return nki.simulate(rms_norm, **options)(x, weight, eps), want


def main() -> int:
    """Check both dtypes; 0 if they are right."""
    failed = 0
    for dtype, tolerance in TOLERANCE.items():
        got, want = run(dtype=dtype)
        error = float(np.abs(got.astype(np.float64) - want).max())
        good = error <= tolerance
        verdict = "pass" if good else "FAIL"
        print(f"rms_norm {dtype}: error {error:.1e} <= {tolerance:.1e} {verdict}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
