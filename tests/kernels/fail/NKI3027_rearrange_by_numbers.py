# expect: NKI3027 at line 14
"""Numbers where names of dimensions belong."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.rearrange((0, 1), (1, 0))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: this rearrange pattern does not fit: (0, 1) holds something other than names
# help: write every name of the left side once on the right side, and give sizes that cannot be
#   derived
