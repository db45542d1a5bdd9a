# expect: NKI2116 at line 19
# target: trn3
"""Two vectors of different dtypes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    a = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=a, value=0)
    b = nl.ndarray((128, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=b, value=0)
    nisa.activate2(dst=t, op=nl.relu, data=t, imm0=a, imm1=b, op0=nl.multiply, op1=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `imm0` is float32 and `imm1` is bfloat16; activate2 needs one dtype for both
# help: allocate `imm0` as bfloat16, or convert one of them with nisa.tensor_copy
