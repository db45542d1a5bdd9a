# expect: NKI2104 at line 17
"""More indices than a GpSimd core takes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 257), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=0)
    y = nl.ndarray((128, 4112), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=y, src_buffer=t, index=idx)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `index` has indices per 16 partitions = 4112; local_gather takes at most 4096 on
#   trn3 (corev4)
# help: split `index` into pieces of at most 4096 along indices per 16 partitions; nl.tile_size
#   names the limits
