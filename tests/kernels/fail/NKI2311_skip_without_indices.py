# expect: NKI2311 at line 14
"""Nothing that could be skipped."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t, src=x, oob_mode=nisa.oob_mode.skip)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: oob_mode skip has no effect: no operand of dma_copy uses run-time indices
# help: leave oob_mode out where places are known; they are checked while compiling
