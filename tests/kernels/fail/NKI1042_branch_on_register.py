# expect: NKI1042 at line 13
"""A branch in Python on a value that only the device has."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    flag = nisa.register_alloc(1)
    if flag:
        nisa.dma_copy(dst=out, src=x)
    return out
