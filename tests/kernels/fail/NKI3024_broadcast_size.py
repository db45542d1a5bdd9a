# expect: NKI3024 at line 14
"""A broadcast of more than one element."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.broadcast(1, 128)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: dimension 1 has size 64; only a dimension of size 1 can be broadcast
# help: slice or expand to size 1 first: x[:, 0:1] or x.expand_dim(1)
