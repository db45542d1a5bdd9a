# expect: NKI2601 at line 14
"""A pattern of fewer elements than the tile."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.iota(dst=t, pattern=[[1, 32]])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the pattern of iota makes 32 elements; `dst` has 64 per partition
# help: let the product of the pattern's counts be 64
