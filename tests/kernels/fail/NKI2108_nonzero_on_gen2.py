# expect: NKI2108 at line 16
# target: trn1
"""What needs gen3."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.ndarray((128, 65), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=i, src=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: nonzero_with_count needs trn2 (cayman) or newer; this kernel is compiled for trn1 (sunda)
# help: compile for trn2 (cayman), or guard the call with nisa.get_nc_version()
