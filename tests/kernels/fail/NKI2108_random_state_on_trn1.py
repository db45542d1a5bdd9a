# expect: NKI2108 at line 14
# target: trn1
"""States cannot be moved on gen2."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    s = nl.ndarray((128, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_get_state(dst=s)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: rand_get_state needs trn2 (cayman) or newer; this kernel is compiled for trn1 (sunda)
# help: compile for trn2 (cayman), or guard the call with nisa.get_nc_version()
