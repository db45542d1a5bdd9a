# expect: NKI2117 at line 15
"""A product of partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst=s, op=nl.multiply, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensor_partition_reduce has no operator multiply; it supports add, average, bitwise_and,
#   bitwise_or, maximum
# help: choose another operator or another instruction
