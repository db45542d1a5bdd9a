# expect: NKI5103 at line 14
"""Two instructions with one name."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x, name="load")
    nisa.dma_copy(dst=t, src=x, name="load")
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the instruction name `load` is used twice
# help: add the loop index to the name, or leave name= out
