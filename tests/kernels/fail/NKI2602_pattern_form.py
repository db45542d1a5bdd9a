# expect: NKI2602 at line 14
"""A list that is no pattern."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.iota(dst=t, pattern=[64])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: (64,) is not a pattern: 64 is not a pair of integers
# help: write one to four pairs [step, count] with integer steps and positive counts
