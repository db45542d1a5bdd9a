# expect: NKI2127 at line 14
"""Tiles of different shapes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nl.add(t.reshape((128, 8, 8)), t[:, 0:8].expand_dim(1))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `y` has shape (128, 1, 8) and `x` has shape (128, 8, 8); nl.add needs one shape for both, or
#   a (P, 1) tile beside a larger one
# help: repeat the smaller one first: nl.broadcast_to(tile, shape)
