# expect: NKI2216 at line 19
# target: trn3
"""Scales of four quadrants in the first sixteen partitions."""

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
    s = nl.ndarray((16, 16), dtype=nl.float8_e8m0fnu, buffer=nl.sbuf)
    nisa.quantize_mx(dst=q, src=t, dst_scale=s)
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `dst_scale` has 16 partitions; quantize_mx takes 100 to 128 for the scales of `src`,
#   which has 128
# help: allocate the scales with as many partitions as `src`, or with 4 for one quadrant
