# expect: NKI2106 at line 12
"""Integers between 0 and 1."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.rand((128, 64), dtype=nl.int32)
    nisa.dma_copy(dst=out, src=x)
    return out
