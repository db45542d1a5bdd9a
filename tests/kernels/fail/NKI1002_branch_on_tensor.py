# expect: NKI1002 at line 14
"""`if` on an element of a tile."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if t[0:1, 0:1]:
        nisa.memset(dst=t, value=1.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: a condition (`if`, `while`, `and`, `or`, `not`, bool()) needs the elements of float32[1, 1]
#   in sbuf, view of `t`, which are known on the device only
# help: select elements with nisa.tensor_copy_predicated or nisa.select_reduce
