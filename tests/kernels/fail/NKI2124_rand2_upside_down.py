# expect: NKI2124 at line 14
# target: trn3
"""A range that goes down."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst=t, min=1.0, max=-1.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: `min` of rand2 is 1.0; allowed: numbers below max, -1.0
# help: give `min` what is allowed
