# expect: NKI3029 at line 14
"""A pattern that leaves its storage."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t.ap([[64, 128], [1, 64]], offset=1))
    return out


# says: the access pattern reaches element 8192; the storage has the elements 0 to 8191
# help: reduce counts or offset so that the last element is at most 8191; on chip the pairs after
#   the first walk one partition, which has 64 elements
