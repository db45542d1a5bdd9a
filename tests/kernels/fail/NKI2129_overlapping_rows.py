# expect: NKI2129 at line 14
"""An access pattern of rows that overlap in HBM, written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out.ap([[1, 128], [1, 64]]), src=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` of dma_copy names 8192 elements, but only 191 different ones: steps (1, 1)
#   over (128, 64) meet
# help: write to a tile of the full shape, or give `dst` the shape of what is kept
