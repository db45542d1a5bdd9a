# expect: NKI2106 at line 15
# target: trn3
"""A bound in bfloat16."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    p = nl.full((128, 1), 2, dtype=nl.bfloat16)
    nisa.rand2(dst=t, min=0.0, max=p)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `max` is bfloat16; rand2 accepts float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
