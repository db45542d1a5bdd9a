# expect: NKI2107 at line 15
# target: trn3
"""What is subtracted is one number per partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.exponential(dst=t, src=t, max_value=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `max_value` has shape (128, 64); exponential needs (128, 1)
# help: slice `max_value` to (128, 1)
