# expect: NKI2104 at line 17
"""More stationary columns than the array has."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    wide = nl.ndarray((128, 160), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=0)
    acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=wide, moving=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `stationary` has M = 160; nc_matmul takes at most 128 on trn3 (corev4)
# help: split `stationary` into pieces of at most 128 along M; nl.tile_size names the limits
