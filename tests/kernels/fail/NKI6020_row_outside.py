# expect: NKI6020 at line 14
"""An index that runs past the last row."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for i in nl.dynamic_range(129):
        nisa.dma_copy(dst=out[nl.ds(i, 1)], src=x[0:1])
    return out


# says: dma_copy gets 128 as run-time index of `out`, where 0 to 127 are allowed
# help: keep indices within the tensor, or pass oob_mode=nisa.oob_mode.skip to nisa.dma_copy, which
#   leaves out what lies outside
