# expect: NKI5003 at line 14
"""A PSUM tile that starts inside a bank."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum, address=(0, 1024))
    nisa.tensor_copy(dst=acc, src=t)
    nisa.tensor_copy(dst=t, src=acc)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `acc` is placed at 1024, which is not the start of a PSUM bank of 2048 bytes
# help: use a multiple of 2048
