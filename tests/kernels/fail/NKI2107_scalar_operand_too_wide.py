# expect: NKI2107 at line 14
"""Two numbers per partition where one is read."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=t[:, 0:2])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `operand0` has shape (128, 2); tensor_scalar needs (128, 1)
# help: slice `operand0` to (128, 1)
