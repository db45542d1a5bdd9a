# expect: NKI3001 at line 11
"""A size that is no integer."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, x.shape[1] / 2), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: (128, 32.0) is not a shape: float 32.0 is not an integer
# help: give a tuple of positive integers; use // when dividing sizes
