# expect: NKI2411 at line 14
"""Statistics that are cut in the middle."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.bn_aggr(dst=t[:, 0:2], data=t[:, 0:5])
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `data` has 5 elements per partition; bn_aggr needs a multiple of 3
# help: pass whole results of nisa.bn_stats, which are two triples each
