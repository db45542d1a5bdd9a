# expect: NKI2117 at line 15
# target: trn3
"""Two operations in the wrong order."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activate2(dst=t, op=nl.relu, data=t, imm0=2.0, imm1=0.0, op0=nl.add, op1=nl.multiply)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: op1 of activate2 after op0=add has no operator multiply; it supports bypass
# help: choose another operator or another instruction
