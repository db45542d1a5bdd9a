# expect: NKI2114 at line 13
"""GpSimd does not reach PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.psum)
    nisa.rng(dst=t, engine=nisa.engine.gpsimd)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `dst` is in psum, and rng runs on the GpSimd engine
# help: copy `dst` to SBUF first; or use engine=nisa.engine.vector
