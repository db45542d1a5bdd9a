# expect: NKI2501 at line 14
"""An ALU operator where a function belongs."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activation(dst=t, op=nl.add, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: nl.add is not an activation function
# help: operators with two inputs run in nisa.tensor_tensor or nisa.tensor_scalar
