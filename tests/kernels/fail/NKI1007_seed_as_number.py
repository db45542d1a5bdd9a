# expect: NKI1007 at line 12
"""A seed that is a number."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.random_seed(42)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: `seed` of `nl.random_seed` must be a tensor, and is int 42
# help: pass a tensor
