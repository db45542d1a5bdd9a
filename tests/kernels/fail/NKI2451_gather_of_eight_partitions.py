# expect: NKI2451 at line 17
"""Half of what a GpSimd core reaches."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 4), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=0)
    y = nl.ndarray((8, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=y, src_buffer=t[0:8], index=idx[0:8])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has 8 partitions; local_gather needs a multiple of 16
# help: use tiles with a multiple of 16 partitions; the rest may hold anything valid
