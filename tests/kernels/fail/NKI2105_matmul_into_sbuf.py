# expect: NKI2105 at line 15
"""A product whose destination is not PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_matmul(dst=acc, stationary=t, moving=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` is in sbuf; nc_matmul writes it to psum
# help: allocate `dst` in psum and copy the result from there
