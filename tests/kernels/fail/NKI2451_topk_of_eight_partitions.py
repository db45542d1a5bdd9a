# expect: NKI2451 at line 18
"""Half of a group of 16 partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((8, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=s, value=0)
    v = nl.ndarray((8, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    i = nl.ndarray((8, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=v, idx_dst=i, src=s, n=8)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `val_dst` has 8 partitions; topk needs a multiple of 16
# help: use tiles with a multiple of 16 partitions; the rest may hold anything valid
