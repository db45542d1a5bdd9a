# expect: NKI2130 at line 15
"""An engine that computes is to gather."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 1]], channel_multiplier=1)
    nisa.tensor_copy(dst=t, src=x.vector_select(0, rows))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` of tensor_copy selects its rows by a vector of run-time indices, which only a
#   DMA can do
# help: gather into a tile first: nisa.dma_copy(dst=tile, src=...), or scatter from one
