# expect: NKI1031 at line 14
"""A number stored by assignment."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t[:, 0:32] = 1.0
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `t[...] = ...` does not store into a tensor
# help: write nisa.tensor_copy(dst=t[...], src=...), or nisa.dma_copy when one side is in HBM
