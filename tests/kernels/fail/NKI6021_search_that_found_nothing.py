# expect: NKI6021 at line 19
"""The position of a value that is not there, used as an index."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    v = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=v, value=1.0)
    i = nl.ndarray((128, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=i, data=t, vals=v)
    y = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=y, data=t, indices=i)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: nc_n_gather reads 1024 index(es) in `indices` that are no place in `data`: the first,
#   element 0 of partition 0, is 4294967295, and the last place is 63
# help: bring indices into 0 to 63 first, for instance with nisa.tensor_scalar and nl.minimum; look
#   for 0xFFFFFFFF, with which searches say that they found nothing
