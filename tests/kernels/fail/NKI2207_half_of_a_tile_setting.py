# expect: NKI2207 at line 15
"""A position without a size."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=t[0:64], moving=t[0:64], tile_position=(64, 0))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `tile_position` is set and `tile_size` is not; tiling needs both
# help: set `tile_size` as well, or neither
