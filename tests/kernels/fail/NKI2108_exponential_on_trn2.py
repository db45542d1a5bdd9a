# expect: NKI2108 at line 15
# target: trn2
"""An instruction of the latest target."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.exponential(dst=t, src=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: exponential needs trn3 (corev4) or newer; this kernel is compiled for trn2 (cayman)
# help: compile for trn3 (corev4), or guard the call with nisa.get_nc_version()
