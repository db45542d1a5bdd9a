# expect: NKI2112 at line 14
"""An access that starts between the quarters."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t[0:32], src=t[16:48])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` starts at partition 16 and spans 32; 32 partitions may start at 0, 32, 64 or
#   96
# help: place the data at partition 0, 32, 64 or 96; a DMA may start at any partition
