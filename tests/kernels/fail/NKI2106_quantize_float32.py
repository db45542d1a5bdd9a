# expect: NKI2106 at line 19
# target: trn3
"""Only 2-byte floats are quantized."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    wide = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=wide, src=x)
    t = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=t, src=wide)
    q = nl.ndarray((128, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    s = nl.ndarray((128, 16), dtype=nl.float8_e8m0fnu, buffer=nl.sbuf)
    nisa.quantize_mx(dst=q, src=wide, dst_scale=s)
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `src` is float32; quantize_mx accepts float16, bfloat16 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
