# expect: NKI2502 at line 15
# target: trn1
"""A number as bias on trn1."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activation(dst=t, op=nl.exp, data=t, bias=1.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: bias is the number 1.0; on trn1 (sunda) it must be a (P, 1) tile
# help: fill a tile: nisa.memset(dst=bias, value=1.0)
