# expect: NKI1006 at line 14
"""More values than parameters."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.reciprocal(t, t, nl.float32, "r0")
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `reciprocal` takes at most 3 positional argument(s), and got 4
# help: `reciprocal` takes dst, data, name
