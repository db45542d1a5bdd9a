# expect: NKI2405 at line 16
"""A negated bit reduction."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    k = nl.ndarray((128, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=k, value=0)
    nisa.tensor_reduce(dst=k[:, 0:1], op=nl.bitwise_or, data=k, axis=1, negate=True)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: negate has no meaning with the bit operator bitwise_or
# help: leave negate out
