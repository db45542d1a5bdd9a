# expect: NKI3028 at line 14
"""A pattern of float32 that starts inside a float32."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.view(nl.uint8)[:, 3:].ap([[64, 128], [1, 4]], dtype=nl.float32)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: this access pattern is not usable: the view starts at byte 3, not at a whole float32 of 4
# help: write pairs [stride, count] in elements, outermost first, with positive counts
