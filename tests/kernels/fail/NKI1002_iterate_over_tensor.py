# expect: NKI1002 at line 14
"""A loop over the contents of a tile."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    for row in t:
        nisa.memset(dst=row, value=1.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: iteration needs the elements of float32[128, 64] in sbuf, which are known on the device only
# help: loop over indices: for i in range(128); select elements with nisa.tensor_copy_predicated or
#   nisa.select_reduce
