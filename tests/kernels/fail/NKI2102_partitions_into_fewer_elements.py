# expect: NKI2102 at line 15
"""A reduction of partitions that also loses elements."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst=s, op=nl.add, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data` has 64 elements per partition and `dst` has 1; tensor_partition_reduce needs
#   the same number
# help: slice or broadcast the view; nisa.tensor_scalar repeats a (P, 1) operand along the free
#   dimension
