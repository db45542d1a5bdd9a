# expect: NKI3028 at line 14
"""A partition step that is not the row."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.ap([[1, 128], [1, 64]])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: this access pattern is not usable: it steps by 1 from partition to partition, which have 64
#   elements
# help: write pairs [stride, count] in elements, outermost first, with positive counts
