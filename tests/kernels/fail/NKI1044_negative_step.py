# expect: NKI1044 at line 13
"""A run-time loop that counts down."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for i in nl.dynamic_range(3, 0, -1):
        nisa.dma_copy(dst=out[nl.ds(i, 1)], src=x[0:1])
    return out


# says: `step` of nl.dynamic_range must be a positive integer that is known while tracing, and is
#   int -1
# help: pass a positive integer that is known while tracing
