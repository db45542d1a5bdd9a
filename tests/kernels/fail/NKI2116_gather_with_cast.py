# expect: NKI2116 at line 17
"""A gather into another dtype."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 4), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=0)
    y = nl.ndarray((128, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=y, data=t, indices=idx)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `dst` is bfloat16 and `data` is float32; nc_n_gather needs one dtype for both
# help: allocate `dst` as float32, or convert one of them with nisa.tensor_copy
