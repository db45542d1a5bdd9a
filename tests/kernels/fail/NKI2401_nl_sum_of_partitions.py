# expect: NKI2401 at line 14
"""nl.sum across partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nl.sum(t, axis=0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: axis (0,) contains the partition dimension 0, which nl.sum cannot reduce
# help: transpose with nisa.nc_transpose first, or multiply by a (P, 1) tile of ones in
#   nisa.nc_matmul
