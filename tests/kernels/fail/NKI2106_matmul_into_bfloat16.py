# expect: NKI2106 at line 16
# target: trn2
"""PSUM sums are float32 on trn2."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=t, moving=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` is bfloat16; nc_matmul accepts float32 on trn2 (cayman)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
