# expect: NKI2116 at line 15
"""A shuffle into another dtype."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    u = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=u, src=t, shuffle_mask=[0] * 32)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dst` is bfloat16 and `src` is float32; nc_stream_shuffle needs one dtype for both
# help: allocate `dst` as float32, or convert one of them with nisa.tensor_copy
