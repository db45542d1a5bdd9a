# expect: NKI3016 at line 14
"""Two ellipses in one index."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(dst=t[..., 0, ...], value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `...` appears 2 times in one index
# help: keep one of them and write `:` for the others
