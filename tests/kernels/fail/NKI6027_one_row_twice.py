# expect: NKI6027 at line 19
"""Two rows are added to one row of a table by one call."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=1.0)
    nisa.dma_copy(dst=out, src=t)
    at = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=at, pattern=[[1, 1]], channel_multiplier=1)
    nisa.memset(dst=at[0:1, :], value=7)
    rows = out.vector_select(0, at)
    nisa.dma_compute(rows, [rows, t], nl.add)
    return out


# says: dma_compute changes row 7 of `out` 2 times, and keeps the last sum only
# help: make the indices unique, or add rows of one index before, or in calls of their own
