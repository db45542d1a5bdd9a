# expect: NKI2413 at line 15
"""A search along three free dimensions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    top = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst=top, src=t.reshape((128, 4, 4, 4)))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` walks 3 free dimensions; max8 walks at most 2
# help: reshape `src` to fewer dimensions, or copy it into a contiguous tile first
