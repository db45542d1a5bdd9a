# expect: NKI2110 at line 15
"""A view with more dimensions than an access pattern."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    view = t[:, 0:32].reshape((128, 2, 2, 2, 2, 2)).permute((0, 5, 4, 3, 2, 1))
    nisa.tensor_copy(dst=t[:, 0:32], src=view)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` walks 5 free dimensions; the hardware walks at most 4
# help: split the access, or copy into a contiguous tile first and use that
