# expect: NKI2106 at line 17
# target: trn2
"""Bounds are compared in float32 and are given so."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.zeros((128, 1), dtype=nl.float32)
    i = nl.zeros((128, 1), dtype=nl.int32)
    nisa.range_select(
        dst=t, on_true_tile=t, comp_op0=nl.greater_equal, comp_op1=nl.less,
        bound0=b, bound1=i,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `bound1` is int32; range_select accepts float32 on trn2 (cayman)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
