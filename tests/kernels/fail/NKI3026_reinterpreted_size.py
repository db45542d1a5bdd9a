# expect: NKI3026 at line 16
"""Three half words as words."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.ndarray((128, 3), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=b, value=0)
    b.view(nl.float32)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the last dimension has 3 elements, which is not a multiple of 2
# help: slice the last dimension to a multiple of 2 first
