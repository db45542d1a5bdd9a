# expect: NKI2402 at line 14
"""A reduction that leaves out the last dimension."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_reduce(dst=t[:, 0:16], op=nl.add, data=t.reshape((128, 4, 16)), axis=1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: axis (1,) is not a run of dimensions that ends with the last of 3
# help: reduce the last dimensions, or move them to the end with data.permute(...)
