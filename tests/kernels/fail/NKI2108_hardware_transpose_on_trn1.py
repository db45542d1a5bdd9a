# expect: NKI2108 at line 16
# target: trn1
"""A hardware transpose on a target without descriptor hardware."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    h = nl.ndarray((16, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=h, src=x[0:16])
    t = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=h, dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=out[:, 0:16], src=t)
    return out


# says: dge_mode=hwdge needs trn2 (cayman) or newer; this kernel is compiled for trn1 (sunda)
# help: compile for trn2 (cayman), or guard the call with nisa.get_nc_version()
