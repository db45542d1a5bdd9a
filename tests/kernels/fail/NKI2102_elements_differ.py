# expect: NKI2102 at line 14
"""Two tiles with different numbers of elements."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=t[:, 0:1], op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data2` has 1 elements per partition and `dst` has 64; tensor_tensor needs the same
#   number
# help: slice or broadcast the view; nisa.tensor_scalar repeats a (P, 1) operand along the free
#   dimension
