# expect: NKI2106 at line 14
# target: trn2
"""A hardware transpose of elements of four bytes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=t[:, 0:16], src=x[0:16], dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=out[:, 0:16], src=t[:, 0:16])
    return out


# says: operand `src` is float32; dma_transpose with dge_mode hwdge accepts uint16, int16, float16,
#   bfloat16, float4_e2m1fn_x4 on trn2 (cayman)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
