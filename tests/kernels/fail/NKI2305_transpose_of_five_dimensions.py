# expect: NKI2305 at line 13
"""A transposing DMA of five dimensions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=x.reshape((2, 2, 2, 16, 64)))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` has 5 dimensions; dma_transpose takes two, three or four
# help: reshape `src` so that its first and last dimensions are those to exchange
