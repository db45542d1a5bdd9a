# expect: NKI2102 at line 15
"""A destination that is too small: said once, though both inputs differ and a copy reads it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    half = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=half, data1=t, data2=t, op=nl.add)
    nisa.dma_copy(dst=out, src=half)
    return out


# says: operand `data1` has 64 elements per partition and `dst` has 32; tensor_tensor needs the same
#   number
# help: slice or broadcast the view; nisa.tensor_scalar repeats a (P, 1) operand along the free
#   dimension
