# expect: NKI3020 at line 14
"""A reshape to another size."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.reshape((128, 100))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: a tensor of 8192 elements cannot be reshaped to (128, 100)
# help: choose sizes whose product is 8192
