# expect: NKI3014 at line 14
"""A list as index."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t[0:3], src=t[[0, 2, 4]])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: list [0, 2, 4] cannot be an index
# help: use integers, slices, `...` and nl.ds(start, size); for run-time rows use .ap() with
#   scalar_offset or vector_offset
