# expect: NKI2106 at line 13
"""Random bits for a tile of floats."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rng(dst=t)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `dst` is float32; rng accepts uint8, int8, uint16, int16, uint32, int32 on trn3
#   (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
