# expect: NKI3005 at line 11
"""A memory that is none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=3)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: 3 is not a memory that a tensor can be created in
# help: use nl.sbuf, nl.psum, nl.private_hbm or nl.shared_hbm
