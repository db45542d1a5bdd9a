# expect: NKI1061 at line 13
"""An argument that is tested by `if`."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    if x:
        nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `x` in a condition is true whatever its elements are
# help: ask whether there is a tensor: `x is not None`; choose elements with
#   nisa.tensor_copy_predicated
