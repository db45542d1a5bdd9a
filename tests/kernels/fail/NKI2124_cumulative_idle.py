# expect: NKI2124 at line 14
"""A running sum without the registers that it runs in."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.multiply, op1=nl.add, imm0=2.0, reduce_cmd=nisa.reduce_cmd.idle,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `reduce_cmd` of tensor_scalar_cumulative is idle; allowed: reset_reduce, reduce, load_reduce
# help: give `reduce_cmd` what is allowed
