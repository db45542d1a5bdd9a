# expect: NKI2124 at line 13
"""A probability of 20."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.zeros((128, 64), dtype=nl.float32)
    nisa.dropout(dst=t, data=t, prob=20)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: `prob` of dropout is 20; allowed: numbers from 0 to 1
# help: give `prob` what is allowed
