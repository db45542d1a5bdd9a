# expect: NKI2105 at line 14
"""nl.add of a kernel argument."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t = nl.add(x, t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `x` is in private_hbm; nl.add takes it from psum or sbuf
# help: copy `x` first, with nisa.dma_copy between HBM and SBUF or nisa.tensor_copy between SBUF and
#   PSUM
