# expect: NKI2452 at line 17
"""A destination with one element for each index of its own partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 4), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=0)
    y = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=y, src_buffer=t, index=idx)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has 4 elements per partition; 64 indices of 1 element(s) give 64
# help: give `dst` 64 elements per partition, or set num_valid_indices and num_elem_per_idx to what
#   it holds
