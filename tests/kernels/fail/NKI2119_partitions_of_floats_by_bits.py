# expect: NKI2119 at line 15
"""Bits of floats across partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst=s, op=nl.bitwise_or, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: bitwise_or works on bits; operand `dst` is float32 and must be an integer dtype
# help: use view(nl.uint32) or another integer dtype of the same size to work on the bits
