# expect: NKI2404 at line 14
"""A destination for more values than there are."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_reduce(dst=t[:, 0:2], op=nl.add, data=t, axis=1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has 2 elements per partition; reducing axis (1,) leaves 1
# help: allocate `dst` with 1 elements per partition
