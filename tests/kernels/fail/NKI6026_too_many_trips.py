# expect: NKI6026 at line 13
"""A run-time loop that nobody can wait for."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for _ in nl.dynamic_range(2**30):
        nisa.dma_copy(dst=out, src=x)
    return out


# says: this run-time loop does not end: from 0 to 1073741824 it runs 1073741824 times; the
#   simulator stops after 1000000 trips
# help: look at where its bounds are loaded from
