# expect: NKI1043 at line 14
"""A run-time loop where the order of straight-line code is asked for."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    with nl.no_reorder():
        nisa.dma_copy(dst=out, src=x)
        for i in nl.dynamic_range(3):
            nisa.dma_copy(dst=out[nl.ds(i, 1)], src=x[0:1])
    return out


# says: this run-time loop cannot be built: it is inside of nl.no_reorder, which is for
#   straight-line code
# help: put `with nl.no_reorder():` into the body of the loop
