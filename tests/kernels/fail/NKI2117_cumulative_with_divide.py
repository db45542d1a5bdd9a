# expect: NKI2117 at line 14
"""A running quotient, which the engine does not have."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.multiply, op1=nl.divide, imm0=2.0,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensor_scalar_cumulative has no operator divide; it supports add, maximum, minimum,
#   multiply, subtract
# help: choose another operator or another instruction
