# expect: NKI2106 at line 14
"""Probabilities in bfloat16 beside integers."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.zeros((128, 64), dtype=nl.int32)
    p = nl.zeros((128, 1), dtype=nl.bfloat16)
    nisa.dropout(dst=t, data=t, prob=p)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `prob` is bfloat16; dropout of integers accepts float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
