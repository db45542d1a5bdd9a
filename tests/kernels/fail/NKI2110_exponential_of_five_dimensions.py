# expect: NKI2110 at line 16
# target: trn3
"""A tile of five dimensions, of which exponential takes four."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    w = nl.zeros((128, 3, 3, 3, 3), dtype=nl.float32)
    nisa.exponential(dst=w[:, 0:2, 0:2, 0:2, 0:2], src=w[:, 0:2, 0:2, 0:2, 0:2])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` walks 4 free dimensions; the hardware walks at most 3
# help: split the access, or copy into a contiguous tile first and use that
