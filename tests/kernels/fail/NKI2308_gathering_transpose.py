# expect: NKI2308 at line 16
"""A gather of 4-byte elements that is transposed on the way."""

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


# says: dma_transpose cannot transpose these rows: elements of float32 do not have 2 bytes
# help: gather with nisa.dma_copy first, then transpose the tile
