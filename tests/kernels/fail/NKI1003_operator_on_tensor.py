# expect: NKI1003 at line 14
"""Python arithmetic on a tile."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    t = t % t
    nisa.dma_copy(dst=out, src=t)
    return out


# says: Python operator `%` does not work on tensors
# help: nl.mod(a, b) returns a new tile; nisa.tensor_tensor with op=nl.mod writes the tile that you
#   pass as dst
