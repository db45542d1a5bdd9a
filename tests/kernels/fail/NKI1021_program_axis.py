# expect: NKI1021 at line 14
"""An axis that the launch grid does not have."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nl.program_id(1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: program axis 1 does not exist; there is no launch grid
# help: use axis 0, the only one since 0.2
