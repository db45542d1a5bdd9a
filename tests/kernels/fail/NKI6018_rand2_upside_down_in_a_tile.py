# expect: NKI6018 at line 15
# target: trn3
"""A range that goes down in every partition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    p = nl.full((128, 1), -2, dtype=nl.float32)
    nisa.rand2(dst=t, min=0.0, max=p)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: rand2 reads 128 value(s) of `max` that are no valid end of a range from min to max:
#   partition 0 has -2.0
# help: let probabilities be from 0 to 1, and let every `min` be less than its `max`
