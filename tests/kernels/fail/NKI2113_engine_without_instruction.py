# expect: NKI2113 at line 14
"""tensor_tensor on the scalar engine."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.add, engine=nisa.engine.scalar)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: tensor_tensor cannot run on the scalar engine
# help: choose one of: vector, gpsimd
