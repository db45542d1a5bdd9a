# expect: NKI2414 at line 15
"""A reduction of 16 partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst=s, op=nl.add, data=t[0:16])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data` has 16 partitions; tensor_partition_reduce needs a multiple of 32
# help: put the data into a tile of a multiple of 32 partitions and fill the rest with what does not
#   count, such as 0 for add
