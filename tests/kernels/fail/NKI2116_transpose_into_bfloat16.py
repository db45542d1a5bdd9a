# expect: NKI2116 at line 13
"""A transposing DMA that would convert."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dst` is bfloat16 and `src` is float32; dma_transpose needs one dtype for both
# help: allocate `dst` as float32, or convert one of them with nisa.tensor_copy
