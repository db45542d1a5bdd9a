# expect: NKI3028 at line 15
"""A transpose of rows that a tensor of indices chooses."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    rows = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 1]], channel_multiplier=1)
    chosen = x.ap([[64, 128], [1, 64]], vector_offset=rows, indirect_dim=0)
    nisa.dma_transpose(dst=t, src=chosen)
    nisa.dma_copy(dst=out, src=t)
    return out
