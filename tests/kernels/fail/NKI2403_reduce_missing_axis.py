# expect: NKI2403 at line 14
"""An axis that does not exist."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_reduce(dst=t[:, 0:1], op=nl.add, data=t, axis=2)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: axis (2,) is out of range or repeated for a tile with 2 dimensions
# help: name each of the axes 1 to 2 - 1 at most once
