# expect: NKI1008 at line 14
"""A list in place of an engine."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(dst=t, value=0.0, engine=[nisa.engine.vector])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `engine` of `nki.isa.memset` must be a member of nki.isa.engine, and is [<engine.vector: 5>]
# help: write the member, for example nl.sbuf, nisa.engine.vector or nisa.oob_mode.skip
