# expect: NKI2124 at line 15
# target: trn3
"""exponential cannot reset the accumulators only."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.exponential(dst=t, src=t, reduce_cmd=nisa.reduce_cmd.reset)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `reduce_cmd` of exponential is reset; allowed: idle, reset_reduce, reduce, load_reduce
# help: give `reduce_cmd` what is allowed
