# expect: NKI3002 at line 11
"""More partitions than there are."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the first dimension is 256; a tile on trn3 (corev4) has at most 128 partitions
# help: loop over pieces of nl.tile_size.pmax rows, or move rows into the free dimension
