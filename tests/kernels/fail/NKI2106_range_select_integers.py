# expect: NKI2106 at line 17
# target: trn2
"""range_select selects floats."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.zeros((128, 1), dtype=nl.float32)
    i = nl.zeros((128, 64), dtype=nl.int16)
    nisa.range_select(
        dst=t, on_true_tile=i, comp_op0=nl.greater_equal, comp_op1=nl.less,
        bound0=b, bound1=b,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `on_true_tile` is int16; range_select accepts float16, bfloat16, float32, tfloat32,
#   float8_e4m3, float8_e4m3fn, float8_e5m2 on trn2 (cayman)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
