# expect: NKI1019 at line 14
"""The kernel"s own condition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    assert x.shape[0] % 128 == 1, "rows must be odd"
    nisa.dma_copy(dst=out, src=t)
    return out


# says: assertion failed: rows must be odd
# help: the assertion is the kernel's own: call it with arguments that satisfy it
