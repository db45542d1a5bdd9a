# expect: NKI2307 at line 16
# target: trn2
"""A hardware transpose of 128 rows."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    h = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=h, src=x)
    t = nl.ndarray((64, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t, src=h, dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `src` has shape (128, 64), which dge_mode hwdge cannot cut into blocks of 16 rows
# help: leave dge_mode out, or transpose 16 rows at a time
