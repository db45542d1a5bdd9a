# expect: NKI2116 at line 15
"""A transpose between dtypes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    turned = nl.ndarray((64, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dst` is bfloat16 and `data` is float32; nc_transpose needs one dtype for both
# help: allocate `dst` as float32, or convert one of them with nisa.tensor_copy
