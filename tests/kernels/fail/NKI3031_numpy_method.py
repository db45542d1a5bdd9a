# expect: NKI3031 at line 14
"""A NumPy method on a tensor."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(dst=t.sum(), value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensors have no attribute `sum`
# help: NumPy and torch methods do not exist on tensors inside a kernel
