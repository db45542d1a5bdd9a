# expect: NKI2301 at line 14
"""A refused write of the output: that the output is then unwritten is no second mistake."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=acc, value=0.0)
    nisa.dma_copy(dst=out, src=acc)
    return out


# says: operand `src` is in psum; DMA reaches HBM and SBUF only
# help: copy between PSUM and SBUF with nisa.tensor_copy, then nisa.dma_copy
