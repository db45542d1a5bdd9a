# expect: NKI5004 at line 14
"""Two tiles in one place."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))
    nisa.dma_copy(dst=t, src=x)
    u = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 128))
    nisa.dma_copy(dst=u, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `t` and `u` share bytes while both are in use
# help: move one of them, or end the use of `t` before `u` is written
