# expect: NKI2124 at line 13
"""A transposing DMA that keeps the order of the axes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=x, axes=(0, 1))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `axes` of dma_transpose of 2 dimensions is (0, 1); allowed: (1, 0)
# help: give `axes` what is allowed
