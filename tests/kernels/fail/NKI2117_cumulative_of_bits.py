# expect: NKI2117 at line 14
"""A bit operator before a running sum."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.bitwise_and, op1=nl.add, imm0=1,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensor_scalar_cumulative has no operator bitwise_and; it supports abs, abs_max, abs_min,
#   add, bypass, divide, equal, fmod, greater, greater_equal, less, less_equal, logical_and,
#   logical_or, logical_xor, maximum, minimum, mod, multiply, not_equal, reciprocal, relu, square,
#   subtract
# help: choose another operator or another instruction
