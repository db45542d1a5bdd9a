# expect: NKI1040 at line 14
"""A trip count that is no integer."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nl.affine_range(x.shape[0] / 128)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `stop` of `nl.affine_range` must be an integer, and is float 1.0
# help: use // instead of / on shapes; for a bound in a register use nl.fori_loop
