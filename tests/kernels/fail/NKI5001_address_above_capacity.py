# expect: NKI5001 at line 11
"""A tile beyond the end of SBUF."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 245700))
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `t` is placed at 245700 and needs 256 bytes; SBUF of trn3 (corev4) has 245752 per partition
# help: place `t` so that address + 256 is at most 245752, or leave address= out
