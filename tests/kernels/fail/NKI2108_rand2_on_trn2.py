# expect: NKI2108 at line 14
# target: trn2
"""Uniform numbers in one instruction on gen3."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst=t, min=0.0, max=1.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: rand2 needs trn3 (corev4) or newer; this kernel is compiled for trn2 (cayman)
# help: compile for trn3 (corev4), or guard the call with nisa.get_nc_version()
