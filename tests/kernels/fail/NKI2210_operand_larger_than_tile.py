# expect: NKI2210 at line 15
"""Operands larger than their part of the array."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=t, moving=t, tile_position=(0, 0), tile_size=(64, 128))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `stationary` has K = 128, and the tile of the array holds 64
# help: use a larger tile_size, or slice `stationary` to 64
