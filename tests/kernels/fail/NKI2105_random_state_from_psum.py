# expect: NKI2105 at line 14
# target: trn3
"""A state is set from SBUF only."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.zeros((128, 24), dtype=nl.uint32, buffer=nl.psum)
    nisa.rand_set_state(src_seeds=s, engine=nisa.engine.vector)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `src_seeds` is in psum; rand_set_state takes it from sbuf
# help: copy `src_seeds` first, with nisa.dma_copy between HBM and SBUF or nisa.tensor_copy between
#   SBUF and PSUM
