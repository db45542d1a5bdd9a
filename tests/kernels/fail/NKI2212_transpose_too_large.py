# expect: NKI2212 at line 15
"""More than the vector engine transposes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    turned = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst=turned, data=t[0:64], engine=nisa.engine.vector)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: a tile of 64 x 64 is too large to transpose on the vector engine, which takes 32 x 32
# help: transpose in blocks of 32 x 32; nisa.dma_transpose takes larger ones
