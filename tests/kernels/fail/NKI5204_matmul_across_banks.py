# expect: NKI5204 at line 18
# target: trn2
"""A product that ends in another bank than it starts."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    wide = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=0)
    acc = nl.ndarray((64, 1024), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc[:, 256:768], stationary=t, moving=wide)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` reaches from PSUM bank 0 to bank 1; a matmul writes one bank
# help: split the matmul at the bank, every 512 float32
