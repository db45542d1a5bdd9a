# expect: NKI2128 at line 15
"""More elements in one dimension than an instruction can count."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    wide = nl.ndarray((128, 65536), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` has a count of 65536 in dimension 1; an instruction holds at most 65535
# help: split the access, or copy it with nisa.dma_copy
