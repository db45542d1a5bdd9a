# expect: NKI1005 at line 14
"""A product of one matrix."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.nc_matmul(dst=t, stationary=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `nc_matmul` needs an argument for `moving`
# help: pass `moving=`
