# expect: NKI1007 at line 16
"""An array of the host in place of a tile."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=np.zeros((128, 64)))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `src` of `nki.isa.tensor_copy` must be a tensor, and is a NumPy array float64[128, 64]
# help: pass a tensor
