# expect: NKI2301 at line 15
"""A transposing DMA from PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    p = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=p, value=0.0)
    nisa.dma_transpose(dst=t, src=p)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` is in psum; DMA reaches HBM and SBUF only
# help: copy between PSUM and SBUF with nisa.tensor_copy, then nisa.dma_copy
