# expect: NKI2104 at line 18
# target: trn2
"""More moving elements than a bank holds."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    wide = nl.ndarray((128, 640), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=0)
    acc = nl.ndarray((64, 640), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=t, moving=wide)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `moving` has N = 640; nc_matmul takes at most 512 on trn2 (cayman)
# help: split `moving` into pieces of at most 512 along N; nl.tile_size names the limits
