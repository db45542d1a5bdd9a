# expect: NKI1007 at line 14
"""A number where a tile belongs."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=2.0, op=nl.multiply)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `data2` of `nki.isa.tensor_tensor` must be a tensor, and is float 2.0
# help: pass a tensor
