# expect: NKI1043 at line 13
"""A run-time loop that Python leaves."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for i in nl.dynamic_range(3):
        nisa.dma_copy(dst=out[nl.ds(i, 1)], src=x[0:1])
        break
    return out


# says: this run-time loop cannot be built: its body is left early (`break`, `return`, or an
#   exception that is caught outside)
# help: let the loop's condition or bounds say when it ends
