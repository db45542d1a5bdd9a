# expect: NKI2117 at line 16
# target: trn2
"""A comparison that range_select does not have."""

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
        dst=t, on_true_tile=t, comp_op0=nl.greater_equal, comp_op1=nl.not_equal,
        bound0=b, bound1=b,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: range_select has no operator not_equal; it supports equal, less, less_equal, greater,
#   greater_equal
# help: choose another operator or another instruction
