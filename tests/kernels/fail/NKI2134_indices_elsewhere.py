# expect: NKI2134 at line 18
# target: trn3
"""Indices that are placed on other partitions than the tile they choose from."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))
    nisa.dma_copy(dst=t, src=x[0:32, 0:64])
    rows = nl.ndarray((32, 2), dtype=nl.uint32, buffer=nl.sbuf, address=(32, 0))
    nisa.iota(dst=rows, pattern=[[1, 2]])
    u = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=u, src=t.indirect(rows))
    nisa.dma_copy(dst=out, src=u)
    return out


# says: the indices of `src` begin at partition 32, and `src` asks for 0
# help: place the indices at partition 0
