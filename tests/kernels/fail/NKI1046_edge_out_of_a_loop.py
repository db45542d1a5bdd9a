# expect: NKI1046 at line 15
"""An instruction that depends on one in a loop before it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    for _ in nl.dynamic_range(3):
        inside = nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t).depends_on(inside)
    return out


# says: `dma_copy` cannot depend on `dma_copy`, which is in a run-time loop of its own
# help: let both be in the same loop, or `dma_copy` before it
