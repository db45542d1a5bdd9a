# expect: NKI2106 at line 15
"""The vector that comes with an operator is float32."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.zeros((128, 1), dtype=nl.bfloat16)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.multiply, op1=nl.add, imm0=b,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `imm0` is bfloat16; tensor_scalar_cumulative accepts float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
