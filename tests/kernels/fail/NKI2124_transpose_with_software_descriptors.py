# expect: NKI2124 at line 13
"""Software descriptors for a transpose without run-time indices."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=x, dge_mode=nisa.dge_mode.swdge)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dge_mode` of dma_transpose without run-time indices is swdge; allowed: unknown, none, hwdge
# help: give `dge_mode` what is allowed
