# expect: NKI1015 at line 13
"""A result on chip."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    return t


# says: the kernel returns `t`, which is in sbuf; results must be in HBM
# help: allocate a tensor with buffer=nl.shared_hbm, nisa.dma_copy `t` into it, return that
