# expect: NKI2302 at line 16
# target: trn2
"""Hardware descriptors that would convert."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    b = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=b, src=x, dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: dge_mode hwdge cannot convert float32 to bfloat16
# help: use dge_mode.swdge, or convert on chip with nisa.tensor_copy
