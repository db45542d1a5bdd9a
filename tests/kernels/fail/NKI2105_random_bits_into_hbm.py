# expect: NKI2105 at line 13
"""Random bits straight into HBM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.private_hbm)
    nisa.rng(dst=t)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `dst` is in private_hbm; rng writes it to psum or sbuf
# help: allocate `dst` in psum or sbuf and copy the result from there
