# expect: NKI2124 at line 15
# target: trn3
"""A priority that does not exist."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t, src=x, priority=9)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `priority` of dma_copy is 9; allowed: 0, 1, 2, 3
# help: give `priority` what is allowed
