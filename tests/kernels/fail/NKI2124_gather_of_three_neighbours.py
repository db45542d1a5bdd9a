# expect: NKI2124 at line 17
"""Three elements for each index."""

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
    y = nl.ndarray((128, 192), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=y, src_buffer=t, index=idx, num_elem_per_idx=3, num_valid_indices=64)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `num_elem_per_idx` of local_gather is 3; allowed: 1, 2, 4, 8, 16, 32
# help: give `num_elem_per_idx` what is allowed
