# expect: NKI3022 at line 14
"""A reshape across a gap."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    x[:, 0:32].reshape((128 * 32,))
    nisa.dma_copy(dst=out, src=t)
    return out


# says: reshape cannot make this view: dimensions do not follow each other without gaps; strides are
#   (64, 1)
# help: copy into a fresh tensor first, or reshape before slicing
