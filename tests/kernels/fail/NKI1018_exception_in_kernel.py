# expect: NKI1018 at line 14
"""An exception of the kernel"s own Python."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(dst=t, value={"a": 1.0}["b"])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the kernel's Python raised KeyError: 'b'
# help: the kernel runs as ordinary Python while it is traced, so a debugger or print() works
