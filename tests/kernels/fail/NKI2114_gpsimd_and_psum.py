# expect: NKI2114 at line 16
"""GpSimd does not reach PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=acc, value=0)
    nisa.tensor_copy(dst=t, src=acc, engine=nisa.engine.gpsimd)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` is in psum, and tensor_copy runs on the GpSimd engine
# help: copy `src` to SBUF first; or use engine=nisa.engine.vector
