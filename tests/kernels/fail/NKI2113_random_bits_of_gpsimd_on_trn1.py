# expect: NKI2113 at line 14
# target: trn1
"""GpSimd makes no random numbers on gen2."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.rng(dst=t, engine=nisa.engine.gpsimd)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: rng cannot run on the gpsimd engine
# help: choose one of: vector; GpSimd makes random numbers from trn2 on
