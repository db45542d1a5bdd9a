# expect: NKI2310 at line 13
"""A sum of a whole tensor and a part of it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    half = x.shape[0] // 2
    nisa.dma_compute(dst=out, srcs=[x, x[0:half]], reduce_op=nl.add)
    return out


# says: `srcs[1]` has 4096 elements and `dst` has 8192
# help: slice all of them so that they have the same number of elements
