# expect: NKI2131 at line 17
# target: trn3
"""Elements of every partition that a DMA is to choose."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    rows = nl.ndarray((128, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 2]])
    nisa.dma_copy(dst=out, src=t.indirect(rows))
    return out


# says: operand `src` of dma_copy has a run-time index for every element, which only engines read
# help: copy it with nisa.tensor_copy first, or select whole rows with vector_select
