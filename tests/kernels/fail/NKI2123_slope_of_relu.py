# expect: NKI2123 at line 15
# target: trn3
"""A slope for a function that has none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activate2(
        dst=t,
        op=nl.relu,
        data=t,
        imm0=2.0,
        imm1=0.0,
        op0=nl.multiply,
        op1=nl.bypass,
        relu_param=0.1,
    )
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `relu_param` must not be given when op is relu, which has no parameter
# help: leave `relu_param` out
