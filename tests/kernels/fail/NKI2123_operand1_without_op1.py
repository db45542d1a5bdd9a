# expect: NKI2123 at line 14
"""An operand without its operator."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0, operand1=2.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `operand1` must not be given when op1 is not given
# help: leave `operand1` out
