# expect: NKI1026 at line 19
"""A launch grid inside of a kernel."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def inner(t):
    nisa.memset(dst=t, value=1.0)


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    inner[2](t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: kernel `inner` is called with grid (2,) from inside another kernel
# help: call `inner` without a grid; it is inlined and runs on the caller's cores
