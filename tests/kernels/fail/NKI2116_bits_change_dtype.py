# expect: NKI2116 at line 17
"""Integers of one kind combined bit by bit into another."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    a = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=a, value=1)
    b = nl.ndarray((128, 64), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=b, data=a, op0=nl.bitwise_and, operand0=1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dst` is uint32 and `data` is int32; tensor_scalar with bitwise_and needs one dtype for both
# help: allocate `dst` as int32, or convert one of them with nisa.tensor_copy
