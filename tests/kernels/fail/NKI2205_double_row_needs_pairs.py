# expect: NKI2205 at line 18
# target: trn2
"""A fast mode whose operands are not pairs."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    w = nl.ndarray((128, 64), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    nisa.memset(dst=w, value=0)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=w, moving=w, perf_mode=nisa.matmul_perf_mode.double_row)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: perf_mode double_row needs a first free dimension of 2, and `stationary` has 64
# help: give `stationary` the shape (K, 2, n), where the second dimension holds the pair
