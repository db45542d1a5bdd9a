# expect: NKI2107 at line 13
"""The state of another engine."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.zeros((128, 24), dtype=nl.uint32)
    nisa.rand_set_state(src_seeds=s)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `src_seeds` has shape (128, 24); rand_set_state needs (128, 6)
# help: slice `src_seeds` to (128, 6)
