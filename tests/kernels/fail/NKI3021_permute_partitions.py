# expect: NKI3021 at line 14
"""A view that exchanges partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.permute((1, 0))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: permute would change the partition dimension of a tile
# help: leave dimension 0 as it is; use nisa.nc_transpose, nisa.dma_transpose or nisa.dma_copy to
#   move data across partitions
