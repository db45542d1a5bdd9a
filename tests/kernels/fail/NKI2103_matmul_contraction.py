# expect: NKI2103 at line 15
"""Operands of a product with different K."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=t, moving=t[0:64])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `moving` has K = 64, and `stationary` gives K = 128; nc_matmul needs them equal
# help: give both K = 128, or check which operand is transposed
