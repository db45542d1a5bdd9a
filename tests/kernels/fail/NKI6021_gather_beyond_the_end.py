# expect: NKI6021 at line 17
"""An index that is one too large."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 4), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=64)
    y = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=y, data=t, indices=idx)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: nc_n_gather reads 512 index(es) in `indices` that are no place in `data`: the first, element
#   0 of partition 0, is 64, and the last place is 63
# help: bring indices into 0 to 63 first, for instance with nisa.tensor_scalar and nl.minimum; look
#   for 0xFFFFFFFF, with which searches say that they found nothing
