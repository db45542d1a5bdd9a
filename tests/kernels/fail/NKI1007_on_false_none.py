# expect: NKI1007 at line 16
"""A selection without a second choice."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    mask = nl.ndarray((128, 64), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.memset(dst=mask, value=1)
    nisa.select_reduce(dst=t, predicate=mask, on_true=t, on_false=None)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `on_false` of `nki.isa.select_reduce` must be a tensor or a number, and is None
# help: pass a tensor or a number
