# expect: NKI1005 at line 14
"""A unary operator without its operand, which must be given as None."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.abs)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `tensor_scalar` needs an argument for `operand0`
# help: pass `operand0=`
