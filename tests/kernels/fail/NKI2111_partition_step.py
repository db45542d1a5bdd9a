# expect: NKI2111 at line 14
"""Every second partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t[0:64], src=t[0:128:2])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` steps 128 elements from partition to partition; on chip the step must be 64
# help: take consecutive partitions; nisa.dma_copy can gather rows 128 elements apart from HBM
