# expect: NKI3012 at line 14
"""A slice that runs backwards."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=t[:, ::-1])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: slice step -1 is not a positive integer
# help: use a step of 1 or more; for reversed order use .ap() with a negative stride
