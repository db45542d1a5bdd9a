# expect: NKI2104 at line 18
"""More results than elements."""

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
    v = nl.ndarray((16, 9), dtype=nl.bfloat16, buffer=nl.sbuf)
    i = nl.ndarray((16, 9), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=v, idx_dst=i, src=s, n=8)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `val_dst` has K = 9; topk with n = 8 takes at most 8 on trn3 (corev4)
# help: split `val_dst` into pieces of at most 8 along K; nl.tile_size names the limits
