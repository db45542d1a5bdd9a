# expect: NKI2124 at line 17
"""More valid indices than the tile has."""

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
    y = nl.ndarray((128, 65), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=y, src_buffer=t, index=idx, num_valid_indices=65)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `num_valid_indices` of local_gather is 65; allowed: 1 to 64, which `index` has
# help: give `num_valid_indices` what is allowed
