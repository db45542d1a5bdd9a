# expect: NKI1007 at line 14
"""An axis that is text."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_reduce(dst=t[:, 0:1], op=nl.add, data=t, axis="free")
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `axis` of `nki.isa.tensor_reduce` must be an integer or a list of integers, and is str
#   'free'
# help: pass an integer or a list of integers
