# expect: NKI5009 at line 11
"""A tensor in HBM that no device can hold."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((10**9, 10**9), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:128, 0:64], src=x)
    return out[0:128, 0:64]
