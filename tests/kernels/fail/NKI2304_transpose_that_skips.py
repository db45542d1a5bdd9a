# expect: NKI2304 at line 13
"""A transpose that skips indices and has none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=x, oob_mode=nisa.oob_mode.skip)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: oob_mode skip is set, but neither dst nor src uses run-time indices
# help: leave oob_mode out; static bounds are checked while compiling
