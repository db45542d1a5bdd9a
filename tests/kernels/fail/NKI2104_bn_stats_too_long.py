# expect: NKI2104 at line 17
"""More elements than bn_stats counts."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    wide = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=0)
    stats = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst=stats, data=wide)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data` has elements per partition (F) = 1024; bn_stats takes at most 512 on trn3
#   (corev4)
# help: split `data` into pieces of at most 512 along elements per partition (F); nl.tile_size names
#   the limits
