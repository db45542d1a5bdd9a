# expect: NKI2107 at line 14
"""Seven values where the engine holds eight."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.nc_match_replace8(dst=t, data=t, vals=t[:, 0:7], imm=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `vals` has shape (128, 7); nc_match_replace8 needs (128, 8)
# help: make `vals` a tile of (128, 8)
