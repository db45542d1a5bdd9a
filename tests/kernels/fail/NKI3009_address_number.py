# expect: NKI3009 at line 11
"""An address that is no pair."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=4096)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: address 4096 is not a place for a tensor in sbuf
# help: give address=(partition, byte offset in the partition) for nl.sbuf and nl.psum tensors
