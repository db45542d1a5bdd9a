# expect: NKI3032 at line 14
"""A broadcast that adds a dimension."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nl.broadcast_to(t, (128, 2, 64))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: a tile of shape (128, 64) cannot be broadcast to (128, 2, 64): one has 2 dimensions, the
#   other 3
# help: give both shapes the same number of dimensions; only dimensions of size 1 are repeated
