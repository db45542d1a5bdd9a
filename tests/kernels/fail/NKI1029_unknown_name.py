# expect: NKI1029 at line 14
"""A misspelt name of the language."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t = nl.sofmax(t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: nki.language has no `sofmax`
# help: did you mean nki.language.softmax?
