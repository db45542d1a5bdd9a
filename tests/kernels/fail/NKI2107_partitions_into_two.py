# expect: NKI2107 at line 15
"""A reduction of partitions into two."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst=s, op=nl.add, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has shape (2, 64); tensor_partition_reduce needs (1, 64)
# help: slice `dst` to (1, 64)
