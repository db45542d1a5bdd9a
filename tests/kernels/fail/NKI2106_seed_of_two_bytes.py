# expect: NKI2106 at line 13
"""A seed of 16 bits."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.zeros((1, 1), dtype=nl.int16)
    nisa.set_rng_seed(src_seeds=s)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `src_seeds` is int16; set_rng_seed accepts uint32, int32, float32, tfloat32 on trn3
#   (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
