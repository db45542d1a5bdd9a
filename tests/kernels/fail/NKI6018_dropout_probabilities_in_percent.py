# expect: NKI6018 at line 14
"""Probabilities of 20 in a tile."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.zeros((128, 64), dtype=nl.float32)
    p = nl.full((128, 1), 20, dtype=nl.float32)
    nisa.dropout(dst=t, data=t, prob=p)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: dropout reads 128 value(s) of `prob` that are no probability: partition 0 has 20.0
# help: let probabilities be from 0 to 1, and let every `min` be less than its `max`
