# expect: NKI2209 at line 15
"""A size that does not divide the array."""

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
        dst=acc, stationary=t[0:32], moving=t[0:32], tile_position=(0, 0), tile_size=(48, 128)
    )
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tile_size is (48, 128); rows and columns must each be one of 32, 64, 128 on trn3 (corev4)
# help: choose the smallest allowed size that holds the stationary operand
