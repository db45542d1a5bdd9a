# expect: NKI1005 at line 14
"""The 0.1 style: no destination."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.reciprocal(data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `reciprocal` needs an argument for `dst`
# help: pass `dst=`; instructions take `dst` first since 0.2
