# expect: NKI1007 at line 14
"""A number that float32 cannot hold."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=10**400)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `operand0` of `nki.isa.tensor_scalar` must be a number that float32 can hold, and is int
#   100000000000000000000000000000000000000000000000000000000000
# help: pass a number that float32 can hold
