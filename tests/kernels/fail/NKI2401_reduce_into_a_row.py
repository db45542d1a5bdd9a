# expect: NKI2401 at line 15
"""A sum over partitions into the shape that it would have: the axis is the mistake."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    row = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_reduce(dst=row, op=nl.add, data=t, axis=0)
    nisa.dma_copy(dst=out, src=row)
    return out


# says: axis (0,) contains the partition dimension 0, which tensor_reduce cannot reduce
# help: transpose with nisa.nc_transpose first, or multiply by a (P, 1) tile of ones in
#   nisa.nc_matmul
