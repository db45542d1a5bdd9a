# expect: NKI2119 at line 14
"""A bit operator on floats."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t.view(nl.int32), data=t, op0=nl.bitwise_and, operand0=255)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: bitwise_and works on bits; operand `data` is float32 and must be an integer dtype
# help: use view(nl.uint32) or another integer dtype of the same size to work on the bits
