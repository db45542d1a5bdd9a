# expect: NKI1041 at line 14
"""A body that writes the index of its loop."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for i in nl.dynamic_range(3):
        nisa.register_move(i, 0)
    return out


# says: `dst` of nki.isa.register_move is the index of a dynamic_range loop, which cannot be written
# help: copy it into a register of its own first: r = nisa.register_alloc(); nisa.register_move(r,
#   i)
