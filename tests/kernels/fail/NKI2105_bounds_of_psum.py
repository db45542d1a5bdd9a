# expect: NKI2105 at line 15
"""Ids in PSUM, which GpSimd does not reach."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ids = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=ids, value=1)
    b = nl.ndarray((1, 2, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=b, segment_ids=ids)
    nisa.dma_copy(dst=out, src=x[0:1])
    return out


# says: operand `segment_ids` is in psum; sequence_bounds takes it from sbuf
# help: copy `segment_ids` first, with nisa.dma_copy between HBM and SBUF or nisa.tensor_copy
#   between SBUF and PSUM
