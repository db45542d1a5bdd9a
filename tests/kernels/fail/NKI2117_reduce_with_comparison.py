# expect: NKI2117 at line 14
"""A reduction with an operator that does not reduce."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_reduce(dst=t[:, 0:1], op=nl.equal, data=t, axis=1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensor_reduce has no operator equal; it supports add, bitwise_and, bitwise_or, bitwise_xor,
#   logical_and, logical_or, logical_xor, maximum, minimum, multiply, subtract
# help: choose another operator or another instruction
