# expect: NKI1004 at line 14
"""A misspelt keyword."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, source=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `tensor_copy` has no parameter `source`
# help: did you mean `src`?; `tensor_copy` takes dst, src, engine, name
