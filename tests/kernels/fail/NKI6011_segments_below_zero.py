# expect: NKI6011 at line 15
"""Padding that is -1."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ids = nl.ndarray((1, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=ids, value=-1)
    b = nl.ndarray((1, 2, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=b, segment_ids=ids)
    nisa.dma_copy(dst=out, src=x[0:1])
    return out


# says: sequence_bounds reads 64 id(s) in `segment_ids` that are negative or no whole numbers:
#   element 0 is -1
# help: number segments from 1, and use 0 for padding
