# expect: NKI2117 at line 14
"""An activation function where an ALU operator belongs."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.exp)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensor_tensor has no operator nl.exp; it supports operators such as nl.add
# help: choose another operator or another instruction; nisa.activation has nl.exp
