# expect: NKI2106 at line 15
"""Ids as bytes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ids = nl.ndarray((1, 64), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.memset(dst=ids, value=1)
    b = nl.ndarray((1, 2, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=b, segment_ids=ids)
    nisa.dma_copy(dst=out, src=x[0:1])
    return out


# says: operand `segment_ids` is uint8; sequence_bounds accepts int32, float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
