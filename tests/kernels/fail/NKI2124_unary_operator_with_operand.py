# expect: NKI2124 at line 14
"""An operand for an operator that takes none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.rsqrt, operand0=2.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `operand0` of tensor_scalar is 2.0; allowed: None, 0
# help: give `operand0` what is allowed
