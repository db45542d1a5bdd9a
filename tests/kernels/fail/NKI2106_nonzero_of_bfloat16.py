# expect: NKI2106 at line 17
"""A source of half the width."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    h = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=h, value=0)
    i = nl.ndarray((128, 65), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=i, src=h)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` is bfloat16; nonzero_with_count accepts int32, float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
