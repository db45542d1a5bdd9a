# expect: NKI1008 at line 14
"""A string in place of an enumeration member."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=t, engine="vector")
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `engine` of `nki.isa.tensor_copy` must be a member of nki.isa.engine, and is 'vector'
# help: write the member, for example nl.sbuf, nisa.engine.vector or nisa.oob_mode.skip
