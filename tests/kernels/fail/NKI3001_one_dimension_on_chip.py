# expect: NKI3001 at line 11
"""A tile without free dimension."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: (128,) is not a shape: on-chip tensors have a partition dimension and at least one more
# help: give a tuple of positive integers; use // when dividing sizes
