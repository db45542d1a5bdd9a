# expect: NKI2107 at line 15
"""A destination as long as the source."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=i, src=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has shape (128, 64); nonzero_with_count needs (128, 65)
# help: make `dst` a tile of (128, 65)
