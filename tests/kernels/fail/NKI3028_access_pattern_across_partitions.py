# expect: NKI3028 at line 14
"""A pattern that runs past the end of a partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out[0:64], src=t.ap([[64, 64], [1, 64]], offset=8))
    return out


# says: this access pattern is not usable: it touches elements 8 to 71 of partitions that have 64
# help: write pairs [stride, count] in elements, outermost first, with positive counts
