# expect: NKI2112 at line 19
# target: trn3
"""Scales begin up to twelve partitions into their quadrant."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    wide = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=wide, src=x)
    t = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=t, src=wide)
    q = nl.ndarray((128, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    s = nl.ndarray((128, 16), dtype=nl.float8_e8m0fnu, buffer=nl.sbuf)
    nisa.quantize_mx(dst=q[0:32], src=t[0:32], dst_scale=s[16:20])
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `dst_scale` starts at partition 16 and spans 4; 4 partitions may start at 0, 4, 8 or
#   12
# help: place the data at partition 0, 4, 8 or 12; a DMA may start at any partition
