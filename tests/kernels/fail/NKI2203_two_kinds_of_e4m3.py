# expect: NKI2203 at line 20
# target: trn3
"""Two encodings of 8-bit floats in one product."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    w = nl.ndarray((128, 64), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    nisa.memset(dst=w, value=0)
    m = nl.ndarray((128, 64), dtype=nl.float8_e4m3fn, buffer=nl.sbuf)
    nisa.memset(dst=m, value=0)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=w, moving=m)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `stationary` is float8_e4m3 and `moving` is float8_e4m3fn; the two e4m3 encodings cannot be
#   mixed
# help: store both operands as float8_e4m3
