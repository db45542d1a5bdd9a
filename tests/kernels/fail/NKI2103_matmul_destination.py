# expect: NKI2103 at line 15
"""A destination smaller than the product."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc[:, 0:32], stationary=t, moving=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `moving` has N = 64, and `dst` gives N = 32; nc_matmul needs them equal
# help: give both N = 32, or check which operand is transposed
