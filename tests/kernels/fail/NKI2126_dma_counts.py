# expect: NKI2126 at line 14
"""A transfer between different sizes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t, src=x[0:64])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dst` has 8192 elements and `src` has 4096
# help: slice the larger side so that both have the same number of elements
