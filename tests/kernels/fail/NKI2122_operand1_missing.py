# expect: NKI2122 at line 14
"""A second operator without its operand."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0, op1=nl.multiply)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `operand1` must be given when the operator is multiply
# help: pass `operand1=`
