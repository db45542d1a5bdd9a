# expect: NKI3004 at line 14
"""A view with a dtype that no memory holds."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t.view("float64")
    nisa.dma_copy(dst=out, src=t)
    return out


# says: 'float64' is not a dtype that tensors can have
# help: use a dtype of nl, for example nl.float32, nl.bfloat16 or nl.int32
