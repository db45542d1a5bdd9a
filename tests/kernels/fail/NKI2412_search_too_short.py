# expect: NKI2412 at line 15
"""Eight values out of seven."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    top = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst=top, src=t[:, 0:7])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` has 7 elements per partition; max8 needs at least 8
# help: search a longer tile; fill the rest with a value that cannot be found, such as -inf
