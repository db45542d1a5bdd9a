# expect: NKI3013 at line 14
"""Three indices for two dimensions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(dst=t[0, 0, 0], value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: 3 indices for a tensor with 2 dimensions
# help: give at most 2 indices
