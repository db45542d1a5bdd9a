# expect: NKI2102 at line 15
"""A shuffle into fewer elements."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    u = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=u[:, 0:32], src=t, shuffle_mask=[0] * 32)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` has 64 elements per partition and `dst` has 32; nc_stream_shuffle needs the
#   same number
# help: slice or broadcast the view; nisa.tensor_scalar repeats a (P, 1) operand along the free
#   dimension
