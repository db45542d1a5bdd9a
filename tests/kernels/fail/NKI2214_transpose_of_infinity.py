# expect: NKI2214 at line 13
# target: trn1
"""A transpose on gen2, which is a product, of a tile with an infinity."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.ndarray((64, 64), nl.float32)
    nisa.memset(t, float("inf"))
    turned = nl.ndarray((64, 64), nl.float32, nl.psum)
    nisa.nc_transpose(turned, t, engine=nisa.engine.tensor)
    nisa.tensor_copy(t, turned)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: a Tensor engine transpose on trn1 (sunda) spreads NaN and infinity to other elements
# help: replace NaN and infinity first, or transpose with nisa.dma_transpose
