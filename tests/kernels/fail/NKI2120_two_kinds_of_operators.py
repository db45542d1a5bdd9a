# expect: NKI2120 at line 16
"""Bits first, numbers second."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    k = nl.ndarray((128, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=k, value=0)
    nisa.tensor_scalar(dst=k, data=k, op0=nl.bitwise_and, operand0=7, op1=nl.add, operand1=1.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: op0 is bitwise_and and op1 is add; one works on bits and the other on numbers
# help: use two instructions
