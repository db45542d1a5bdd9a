"""One kernel on two cores: ``kernel[2]`` runs it once per core, and each takes half of the rows.

The two physical cores of a logical core share HBM. Every program writes its own rows of the result,
so there is nothing to wait for. trn1 has one core per logical core: there the kernel runs without a
grid and takes all rows.
"""

from __future__ import annotations

import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

# One addition, rounded once by either side: results are equal.
TOLERANCE = 0.0


@nki.jit
def spmd_add(a, b):
    """``a + b``; the rows are shared out among the programs of the launch."""
    rows, columns = a.shape
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    share = -(-rows // nl.num_programs(0))
    first = nl.program_id(0) * share
    for r in range(first, min(first + share, rows), nl.tile_size.pmax):
        p = min(nl.tile_size.pmax, min(first + share, rows) - r)
        x = nl.ndarray((p, columns), dtype=a.dtype, buffer=nl.sbuf)
        y = nl.ndarray((p, columns), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x, src=a[r : r + p])
        nisa.dma_copy(dst=y, src=b[r : r + p])
        nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)
        nisa.dma_copy(dst=out[r : r + p], src=x)
    return out


def run(rows=500, columns=1000, cores=2, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((rows, columns)).astype(np.float32) for _ in range(2))
    kernel = spmd_add[cores] if cores > 1 else spmd_add
    return nki.simulate(kernel, **options)(a, b), a + b


def main() -> int:
    """Check one and two cores; 0 if they are right."""
    failed = 0
    for cores in (1, 2):
        got, want = run(cores=cores)
        error = float(np.abs(got - want).max())
        good = error <= TOLERANCE
        print(f"spmd_add on {cores}: error {error:.1e}, {'pass' if good else 'FAIL'}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
