# expect: NKI2124 at line 18
"""More elements than 16 partitions hold."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=s, value=0)
    v = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    i = nl.ndarray((16, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=v, idx_dst=i, src=s, n=65)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `n` of topk is 65; allowed: 8 to 64, which 16 partitions of `src` hold
# help: give `n` what is allowed
