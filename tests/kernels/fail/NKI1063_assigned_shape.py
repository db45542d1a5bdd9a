# expect: NKI1063 at line 13
"""A reshape by assignment."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    t.shape = (128, 8, 8)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `shape` of a tensor cannot be assigned or deleted
# help: a tensor with another shape is another tensor: t.reshape(shape)
