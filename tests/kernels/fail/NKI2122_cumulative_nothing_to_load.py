# expect: NKI2122 at line 14
"""A running sum that starts with a value that is not given."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar_cumulative(
        dst=t, src=t, op0=nl.multiply, op1=nl.add, imm0=2.0, reduce_cmd=nisa.reduce_cmd.load_reduce,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `imm1` must be given when reduce_cmd is load_reduce
# help: pass `imm1=`
