# expect: NKI2107 at line 15
"""Bounds without room for the ends of segments."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ids = nl.ndarray((1, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=ids, value=1)
    b = nl.ndarray((1, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=b, segment_ids=ids)
    nisa.dma_copy(dst=out, src=x[0:1])
    return out


# says: operand `dst` has shape (1, 64); sequence_bounds needs (1, 2, 64)
# help: make `dst` a tile of (1, 2, 64)
