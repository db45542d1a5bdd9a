# expect: NKI2106 at line 16
"""A source that is not bfloat16."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    v = nl.ndarray((128, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    i = nl.ndarray((128, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=v, idx_dst=i, src=t, n=64)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` is float32; topk accepts bfloat16 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
