# expect: NKI2107 at line 15
"""Ids in two partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ids = nl.ndarray((2, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=ids, value=1)
    b = nl.ndarray((1, 2, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=b, segment_ids=ids)
    nisa.dma_copy(dst=out, src=x[0:1])
    return out


# says: operand `segment_ids` has shape (2, 64); sequence_bounds needs (1, 64)
# help: slice `segment_ids` to (1, 64)
