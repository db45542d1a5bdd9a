# expect: NKI2215 at line 15
"""A shuffle of a group of partitions that the source does not have."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    u = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=u, src=t[0:1], shuffle_mask=[0] * 32)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: nc_stream_shuffle copies partition 32 of `src` to partition 32 of dst, and `src` has 1
#   partitions
# help: pass more partitions of `src`, shuffle fewer of dst at once, or put 255 in shuffle_mask for
#   what dst keeps
