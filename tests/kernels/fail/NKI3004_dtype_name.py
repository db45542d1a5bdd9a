# expect: NKI3004 at line 11
"""A dtype that does not exist."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype="float23", buffer=nl.sbuf)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: float23 is not a dtype that tensors can have
# help: use a dtype of nl, for example nl.float32, nl.bfloat16 or nl.int32
