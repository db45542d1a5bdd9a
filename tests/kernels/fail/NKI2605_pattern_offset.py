# expect: NKI2605 at line 14
"""An offset beyond 32 bits."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.iota(dst=t, pattern=[[1, 64]], offset=2**40)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: offset is 1099511627776, which is not a 32-bit integer
# help: keep offset between -2**31 and 2**31 - 1, without a fraction
