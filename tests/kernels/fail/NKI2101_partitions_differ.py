# expect: NKI2101 at line 14
"""Two tiles with different numbers of partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=t[0:64], op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data2` has 64 partitions and `dst` has 128; tensor_tensor needs the same number
# help: slice both to the same partitions; to combine data across partitions (a contraction) use
#   nisa.nc_matmul; to repeat one partition use nl.broadcast_to
