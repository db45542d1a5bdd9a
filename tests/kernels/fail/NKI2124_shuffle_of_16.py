# expect: NKI2124 at line 15
"""A shuffle mask that is too short."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    u = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=u, src=t, shuffle_mask=[0] * 16)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `shuffle_mask` of nc_stream_shuffle is (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
#   allowed: 32 integers, each from 0 to 31 or 255
# help: give `shuffle_mask` what is allowed
