# expect: NKI2124 at line 16
# target: trn2
"""Elements outside the range become -FP32_MAX and nothing else."""

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
        bound0=b, bound1=b, on_false_value=0.0,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `on_false_value` of range_select is 0.0; allowed: -3.4028234663852886e+38
# help: give `on_false_value` what is allowed
