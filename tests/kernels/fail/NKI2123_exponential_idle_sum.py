# expect: NKI2123 at line 16
# target: trn3
"""A sum that nobody computes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.zeros((128, 1), dtype=nl.float32)
    nisa.exponential(dst=t, src=t, reduce_res=b)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `reduce_res` must not be given when reduce_cmd is idle
# help: leave `reduce_res` out
