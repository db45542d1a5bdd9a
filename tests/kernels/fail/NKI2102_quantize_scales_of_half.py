# expect: NKI2102 at line 19
# target: trn3
"""One scale for each packed element of eight partitions."""

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
    nisa.quantize_mx(dst=q, src=t, dst_scale=s[:, 0:8])
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `dst_scale` has 8 elements per partition and `dst` has 16; quantize_mx needs the
#   same number
# help: slice or broadcast the view; nisa.tensor_scalar repeats a (P, 1) operand along the free
#   dimension
