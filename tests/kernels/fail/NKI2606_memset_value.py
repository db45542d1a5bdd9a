# expect: NKI2606 at line 15
"""A value that the dtype cannot hold."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    k = nl.ndarray((128, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.memset(dst=k, value=-1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: value -1 cannot be stored as uint8
# help: choose a value that uint8 holds, or another dtype for the tile
