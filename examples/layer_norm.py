"""Layer normalisation with the statistics instructions of the vector engine.

`bn_stats` takes at most 512 elements and returns two triples (count, mean, variance * count).
Longer rows are cut, and `bn_aggr` merges the triples of all pieces, which may differ in length.
"""

from __future__ import annotations

import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

STATS_MAX = 512
STATS = 6
# Results are below 8 or so; the running mean is rounded in float32 for each of `columns` elements.
TOLERANCE = 2e-5


@nki.jit
def layer_norm(x, gamma, beta, eps):
    """``(x - mean) / sqrt(variance + eps) * gamma + beta`` along rows of (rows, columns)."""
    rows, columns = x.shape
    pmax = nl.tile_size.pmax
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    gammas = nl.ndarray((pmax, columns), dtype=gamma.dtype, buffer=nl.sbuf)
    betas = nl.ndarray((pmax, columns), dtype=beta.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=gammas, src=gamma.expand_dim(0).broadcast(0, pmax))
    nisa.dma_copy(dst=betas, src=beta.expand_dim(0).broadcast(0, pmax))
    eps_tile = nl.ndarray((pmax, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=eps_tile, value=eps)
    for r in range(0, rows, pmax):
        p = min(pmax, rows - r)
        tile = nl.ndarray((p, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r : r + p])
        mean, deviation = statistics(tile, eps_tile[0:p])
        nisa.tensor_scalar(
            dst=tile, data=tile, op0=nl.subtract, operand0=mean,
            op1=nl.multiply, operand1=deviation,
        )  # fmt: skip
        nisa.tensor_tensor(dst=tile, data1=tile, data2=gammas[0:p], op=nl.multiply)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=betas[0:p], op=nl.add)
        nisa.dma_copy(dst=out[r : r + p], src=tile)
    return out


def statistics(tile, eps):
    """Two (P, 1) tiles: the mean of each row, and ``1 / sqrt(variance + eps)``."""
    p, columns = tile.shape
    starts = range(0, columns, STATS_MAX)
    stats = nl.ndarray((p, STATS * len(starts)), dtype=nl.float32, buffer=nl.sbuf)
    for i, start in enumerate(starts):
        piece = tile[:, start : min(start + STATS_MAX, columns)]
        nisa.bn_stats(dst=stats[:, i * STATS : (i + 1) * STATS], data=piece)
    moments = nl.ndarray((p, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst=moments, data=stats)
    mean, variance = moments[:, 0:1], moments[:, 1:2]
    nisa.activation(dst=variance, op=nl.rsqrt, data=variance, bias=eps)
    return mean, variance


def run(rows=300, columns=1300, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    x = (3 + 2 * rng.standard_normal((rows, columns))).astype(np.float32)
    gamma, beta = (rng.uniform(0.5, 1.5, columns).astype(np.float32) for _ in range(2))
    exact, eps = x.astype(np.float64), 1e-5
    mean, variance = exact.mean(axis=1, keepdims=True), exact.var(axis=1, keepdims=True)
    want = (exact - mean) / np.sqrt(variance + eps) * gamma + beta
    return nki.simulate(layer_norm, **options)(x, gamma, beta, eps), want


def main() -> int:
    """Check one size; 0 if it is right."""
    got, want = run()
    error = float(np.abs(got - want).max())
    good = error <= TOLERANCE
    print(f"layer_norm: error {error:.1e} <= {TOLERANCE:.1e} {'pass' if good else 'FAIL'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
