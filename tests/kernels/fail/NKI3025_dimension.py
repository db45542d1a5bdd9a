# expect: NKI3025 at line 14
"""A dimension that does not exist."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.select(2, 0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: select has no dimension 2 in a tensor with 2
# help: dimensions count from 0 and are below 2
