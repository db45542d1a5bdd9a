# expect: NKI2123 at line 15
# target: trn3
"""A first value for a sum that starts with 0."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.exponential(dst=t, src=t, reduce_init=1.0, reduce_cmd=nisa.reduce_cmd.reset_reduce)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `reduce_init` must not be given when reduce_cmd is reset_reduce
# help: leave `reduce_init` out
