# expect: NKI2124 at line 16
"""An axis for the one way there is to gather."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 4), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=0)
    nl.gather_flattened(t, idx, axis=1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `axis` of nl.gather_flattened is 1; allowed: 0
# help: give `axis` what is allowed
