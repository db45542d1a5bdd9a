# expect: NKI2112 at line 15
"""A shuffle of two groups, one of which starts where only one group may."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    u = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=u[0:64], src=t[32:64], shuffle_mask=[255] * 32)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` starts at partition 32 and spans 64; 64 partitions may start at 0 or 64
# help: place the data at partition 0 or 64; a DMA may start at any partition
