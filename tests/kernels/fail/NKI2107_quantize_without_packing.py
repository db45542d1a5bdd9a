# expect: NKI2107 at line 19
# target: trn3
"""Four elements become one."""

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
    nisa.quantize_mx(dst=q, src=t[:, 0:32], dst_scale=s)
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `dst` has shape (128, 16); quantize_mx needs (128, 8)
# help: slice `dst` to (128, 8)
