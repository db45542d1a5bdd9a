# expect: NKI2106 at line 12
"""Integers between 0 and 1."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.rand((128, 64), dtype=nl.int32)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `dtype` is int32; nl.rand accepts float16, bfloat16, float32, tfloat32, float8_e4m3,
#   float8_e4m3fn, float8_e5m2 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
