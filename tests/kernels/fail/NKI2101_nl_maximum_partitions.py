# expect: NKI2101 at line 14
"""nl.maximum of tiles with different partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t = nl.maximum(t, t[0:64])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `y` has 64 partitions and `x` has 128; nl.maximum needs the same number
# help: slice both to the same partitions; to combine data across partitions (a contraction) use
#   nisa.nc_matmul; to repeat one partition use nl.broadcast_to
