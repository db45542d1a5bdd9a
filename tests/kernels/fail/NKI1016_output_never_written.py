# expect: NKI1016 at line 11
"""A loop that runs zero times."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 1024):
        nisa.dma_copy(dst=out[i], src=x[i])
    return out


# says: output `out` is returned but no instruction writes it
# help: copy the result into `out` with nisa.dma_copy; look for a loop that runs zero times
