# expect: NKI2104 at line 17
"""More elements than max8 searches."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    wide = nl.ndarray((128, 16385), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=0)
    top = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst=top, src=wide)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` has elements per partition (F) = 16385; max8 takes at most 16384 on trn3
#   (corev4)
# help: split `src` into pieces of at most 16384 along elements per partition (F); nl.tile_size
#   names the limits
