# expect: NKI3011 at line 14
"""A slice out of range."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=t[:, 0:65])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: slice 0:65 is out of range for dimension 1 of size 64
# help: end the slice at 64: min(65, 64)
