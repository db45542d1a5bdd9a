# expect: NKI2107 at line 14
"""A probability for every element."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.zeros((128, 64), dtype=nl.float32)
    p = nl.zeros((128, 64), dtype=nl.float32)
    nisa.dropout(dst=t, data=t, prob=p)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `prob` has shape (128, 64); dropout needs (128, 1)
# help: slice `prob` to (128, 1)
