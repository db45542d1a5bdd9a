# expect: NKI2113 at line 14
# target: trn2
"""The vector engine of gen3 keeps its state."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.ndarray((128, 24), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_get_state(dst=s, engine=nisa.engine.vector)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: rand_get_state cannot run on the vector engine
# help: choose one of: gpsimd; the vector engine gives and takes its state from trn3 on
