# expect: NKI3023 at line 14
"""An order of dimensions that is text."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.permute((0, "f"))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: 0, f is not an order of 2 dimensions
# help: name each dimension exactly once, counted from 0 and below 2
