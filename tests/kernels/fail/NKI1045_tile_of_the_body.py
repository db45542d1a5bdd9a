# expect: NKI1045 at line 15
"""A tile that is made in a loop and used after it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in nl.dynamic_range(3):
        t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `t` is made in a run-time loop and used by dma_copy outside of it
# help: make `t` before the loop and write it inside
