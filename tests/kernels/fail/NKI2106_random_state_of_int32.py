# expect: NKI2106 at line 13
"""A state of signed words."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.ndarray((128, 6), dtype=nl.int32, buffer=nl.sbuf)
    nisa.rand_get_state(dst=s)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `dst` is int32; rand_get_state accepts uint32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
