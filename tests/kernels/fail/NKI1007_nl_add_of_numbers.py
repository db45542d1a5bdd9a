# expect: NKI1007 at line 14
"""nl.add of two numbers."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t = nl.add(1.0, 2.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `x` of `nl.add` must be a tile, as `y` is a number, and is float 1.0
# help: pass a tile, as `y` is a number
