# expect: NKI2106 at line 16
"""An integer tile where float32 is needed."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    k = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=k, value=0)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=k)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `operand0` is int32; tensor_scalar accepts float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
