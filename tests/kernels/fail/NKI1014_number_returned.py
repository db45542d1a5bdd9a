# expect: NKI1014 at line 15
"""A result that is no tensor."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out, 3


# says: the kernel returns int at the result[1]; only tensors can be returned
# help: return one tensor, or a tuple or list of tensors
