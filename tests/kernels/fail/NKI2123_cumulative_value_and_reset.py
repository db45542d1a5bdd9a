# expect: NKI2123 at line 14
"""A first value for a running sum that starts with 0."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.multiply, op1=nl.add, imm0=2.0, imm1=1.0,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `imm1` must not be given when reduce_cmd is reset_reduce
# help: leave `imm1` out
