# expect: NKI2208 at line 15
"""A position between tiles."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(
        dst=acc, stationary=t[0:64], moving=t[0:64], tile_position=(32, 0), tile_size=(64, 128)
    )
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tile_position has row 32, which is not a multiple of the tile's 64 below 128
# help: start at a multiple of 64
