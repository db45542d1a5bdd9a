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


# says: arguments, results and intermediates take 3725290298.5 GiB (4000000000000032768 bytes) of
#   HBM; trn3 (corev4) has 18 GiB (19327352832 bytes)
# help: the largest is `out` with 3725290298.5 GiB (4000000000000000000 bytes); split the work into
#   several calls
