# expect: NKI2106 at line 15
"""A running sum stored as 32-bit integers."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.zeros((128, 64), dtype=nl.int32)
    nisa.tensor_scalar_cumulative(
        dst=i, src=t, op0=nl.multiply, op1=nl.add, imm0=2.0,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` is int32; tensor_scalar_cumulative accepts uint8, int8, uint16, int16,
#   float16, bfloat16, float32, float8_e4m3, float8_e4m3fn, float8_e5m2 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
