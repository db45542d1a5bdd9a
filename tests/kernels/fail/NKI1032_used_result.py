# expect: NKI1032 at line 14
"""An instruction has no result."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=nisa.reciprocal(dst=t, data=t))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `nki.isa.reciprocal` returns nothing; its result is in the tensor passed as dst
# help: use the tensor passed as `dst`
