# expect: NKI2106 at line 16
# target: trn3
"""What is subtracted is float32."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.zeros((128, 1), dtype=nl.bfloat16)
    nisa.exponential(dst=t, src=t, max_value=b)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `max_value` is bfloat16; exponential accepts float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
