# expect: NKI2106 at line 16
# target: trn3
"""A dtype that exponential writes and does not read."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.zeros((128, 64), dtype=nl.tfloat32)
    nisa.exponential(dst=t, src=i)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` is tfloat32; exponential accepts uint8, int8, uint16, int16, uint32, int32,
#   float16, bfloat16, float32, float8_e4m3, float8_e5m2 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
