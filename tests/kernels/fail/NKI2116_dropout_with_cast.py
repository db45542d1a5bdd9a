# expect: NKI2116 at line 14
"""dropout moves bits and does not convert."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.zeros((128, 64), dtype=nl.float32)
    y = nl.zeros((128, 64), dtype=nl.bfloat16)
    nisa.dropout(dst=y, data=t, prob=0.5)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: `dst` is bfloat16 and `data` is float32; dropout needs one dtype for both
# help: allocate `dst` as float32, or convert one of them with nisa.tensor_copy
