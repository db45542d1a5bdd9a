# expect: NKI2306 at line 13
"""A transposing DMA into a tile with the shape of the source."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=x.reshape((64, 128)))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has shape (64, 128); the transpose of (64, 128) has (128, 64)
# help: allocate `dst` with shape (128, 64)
