# expect: NKI2106 at line 17
"""Indices with a sign."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 4), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=0)
    y = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=y, data=t, indices=idx)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `indices` is int32; nc_n_gather accepts uint32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
