# expect: NKI2605 at line 15
"""Padding that int32 does not have."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.ndarray((128, 65), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=i, src=t, padding_val=2**31)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: padding_val is 2147483648, which is not a 32-bit integer
# help: keep padding_val between -2**31 and 2**31 - 1, without a fraction
