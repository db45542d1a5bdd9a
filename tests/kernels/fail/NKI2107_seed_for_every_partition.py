# expect: NKI2107 at line 13
"""A seed for every partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.zeros((128, 1), dtype=nl.int32)
    nisa.set_rng_seed(src_seeds=s)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `src_seeds` has shape (128, 1); set_rng_seed needs (1, 1)
# help: slice `src_seeds` to (1, 1)
