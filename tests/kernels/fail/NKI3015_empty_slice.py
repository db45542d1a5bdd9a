# expect: NKI3015 at line 14
"""A slice of nothing."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(dst=t[:, 64:64], value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: slice 64:64 of dimension 1 selects nothing
# help: let stop be larger than start, or skip the instruction when nothing is left
