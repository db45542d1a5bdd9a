# expect: NKI1060 at line 14
"""A store by assignment."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t[:, 0:32] = t[:, 32:64]
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `t[...] = ...` is taken for nisa.tensor_copy
# help: write nisa.tensor_copy(dst=t[...], src=...)
