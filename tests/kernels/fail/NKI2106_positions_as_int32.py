# expect: NKI2106 at line 15
"""Positions are unsigned, so that all ones can mean that there is none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    found = nl.ndarray((128, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=found, data=t, vals=t[:, 0:8])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` is int32; nc_find_index8 accepts uint16, uint32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
