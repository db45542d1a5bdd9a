# expect: NKI2133 at line 18
# target: trn3
"""Element-wise indices of the operand of an addition that has none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    rows = nl.ndarray((128, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 2]])
    u = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=u, data1=t[:, 0:32], data2=t.indirect(rows), op=nl.add)
    nisa.dma_copy(dst=out, src=u)
    return out


# says: operand `data2` of tensor_tensor cannot have a run-time index for every element; `dst`,
#   `data1` can
# help: gather into a tile, or scatter from one, with nisa.tensor_copy
