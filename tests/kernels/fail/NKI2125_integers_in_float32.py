# expect: NKI2125 at line 16
"""32-bit integers on an engine that computes in float32."""

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
    nisa.tensor_tensor(dst=k, data1=k, data2=k, op=nl.add, engine=nisa.engine.vector)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data1` is int32, but this engine computes in float32
# help: values above 2**24 lose bits; to add, subtract or multiply exactly, leave out engine= and
#   keep the operands in SBUF
