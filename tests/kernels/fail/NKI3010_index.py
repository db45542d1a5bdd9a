# expect: NKI3010 at line 14
"""An index out of range."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t[0:1], src=x[128])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: index 128 is out of range for dimension 0 of size 128
# help: indices of dimension 0 count from 0 and are below 128; negative ones count from the end
