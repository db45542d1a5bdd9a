# expect: NKI3003 at line 11
"""A tile larger than a partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 100000), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the tile needs 400000 bytes per partition; sbuf of trn3 (corev4) has 245752
# help: make the free dimensions smaller and loop, or use a narrower dtype
