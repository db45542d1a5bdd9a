# expect: NKI2217 at line 19
# target: trn3
"""Forty partitions are no whole quadrants."""

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
    nisa.quantize_mx(dst=q[0:40], src=t[0:40], dst_scale=s[0:40])
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `src` has 40 partitions; quantize_mx needs a multiple of 32
# help: pad `src` with zeros to a multiple of 32
