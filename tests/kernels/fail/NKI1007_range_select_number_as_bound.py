# expect: NKI1007 at line 16
# target: trn2
"""A bound is a tile, even if it is the same everywhere."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.zeros((128, 1), dtype=nl.float32)
    nisa.range_select(
        dst=t, on_true_tile=t, comp_op0=nl.greater_equal, comp_op1=nl.less,
        bound0=b, bound1=64.0,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `bound1` of `nki.isa.range_select` must be a tensor, and is float 64.0
# help: pass a tensor
