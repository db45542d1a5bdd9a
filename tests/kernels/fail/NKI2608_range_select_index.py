# expect: NKI2608 at line 16
# target: trn2
"""Indices that float32 cannot tell apart."""

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
        bound0=b, bound1=b, range_start=2**24 - 62,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: range_select counts from 16777154 to 16777217; its indices must stay within -2**24 and 2**24
# help: subtract a part of range_start from range_start and from both bounds
