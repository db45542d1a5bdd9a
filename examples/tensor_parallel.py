"""A product shared out among ranks: each has a part of the rows of the weights, and all sum up.

Rank r has the columns ``x[:, r]`` of the input and the rows ``w[r]`` of the weights that belong to
its part of the contraction. Its product is one term of the result; `all_reduce` adds the terms up,
so that every rank has all of ``x @ w``.
"""

from __future__ import annotations

import sys

import numpy as np

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki

# Sums of `depth` products in float32, in another order than NumPy's, of values around 1.
TOLERANCE = 1e-4


@nki.jit
def partial_product(x_t, w, group):
    """``x @ w`` summed over the ranks of `group`; `x_t` is (depth, rows), `w` (depth, columns)."""
    (depth, rows), columns = x_t.shape, w.shape[1]
    stationary = nl.ndarray((depth, rows), dtype=x_t.dtype, buffer=nl.sbuf)
    moving = nl.ndarray((depth, columns), dtype=w.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=stationary, src=x_t)
    nisa.dma_copy(dst=moving, src=w)
    product = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=stationary, moving=moving)
    term = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=term, src=product)
    total = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    ncc.all_reduce(srcs=[term], dsts=[total], replica_group=group, op=nl.add)
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=total)
    return out


def run(ranks=4, rows=100, depth=96, columns=200, **options):
    """Results of all ranks and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, ranks * depth)).astype(np.float32)
    w = rng.standard_normal((ranks * depth, columns)).astype(np.float32)
    parts = [np.ascontiguousarray(part.T) for part in np.split(x, ranks, axis=1)]
    kernel = nki.simulate(partial_product, **options)
    group = ncc.ReplicaGroup([list(range(ranks))])
    results = opennki.launch(kernel, ranks=ranks)(parts, np.split(w, ranks), group)
    return np.stack(results), np.broadcast_to(x @ w, (ranks, rows, columns))


def main() -> int:
    """Check two and four ranks; 0 if they are right."""
    failed = 0
    for ranks in (2, 4):
        got, want = run(ranks=ranks)
        error = float(np.abs(got - want).max())
        good = error <= TOLERANCE
        print(f"tensor_parallel on {ranks}: error {error:.1e}, {'pass' if good else 'FAIL'}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
