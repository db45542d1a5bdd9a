# expect: NKI2303 at line 14
"""An engine that would have no effect."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t, src=x, engine=nisa.engine.scalar)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: engine scalar has no effect with dge_mode unknown
# help: add dge_mode=nisa.dge_mode.hwdge, or leave engine out
