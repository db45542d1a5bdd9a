# expect: NKI2132 at line 18
# target: trn3
"""Forty elements from sixteen partitions with two indices each."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 40), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    rows = nl.ndarray((128, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 2]])
    u = nl.ndarray((128, 40), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=u, src=t.indirect(rows, num_elem=40))
    nisa.dma_copy(dst=out, src=u)
    return out


# says: `src` selects 40 elements, and 16 partitions of its indices hold 32
# help: pass num_elem of at most 32, or indices with more columns
