# expect: NKI2201 at line 17
"""float32 times bfloat16."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=b, value=0)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=t, moving=b)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `stationary` is float32 and `moving` is bfloat16; if one is a 4-byte float, both must be
# help: convert `stationary` to bfloat16, which is faster, or `moving` to float32, with
#   nisa.tensor_copy
