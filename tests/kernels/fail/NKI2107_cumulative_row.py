# expect: NKI2107 at line 14
"""The first operator takes a number or one of each partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.multiply, op1=nl.add, imm0=t,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `imm0` has shape (128, 64); tensor_scalar_cumulative needs (128, 1)
# help: slice `imm0` to (128, 1)
