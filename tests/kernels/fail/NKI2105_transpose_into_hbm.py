# expect: NKI2105 at line 12
"""A transposing DMA into HBM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_transpose(dst=out, src=x)
    return out


# says: operand `dst` is in shared_hbm; dma_transpose writes it to sbuf
# help: allocate `dst` in sbuf and copy the result from there
