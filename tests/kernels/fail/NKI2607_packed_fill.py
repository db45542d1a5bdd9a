# expect: NKI2607 at line 15
"""A packed tile filled with something else than zero."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    packed = nl.ndarray((128, 64), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.memset(dst=packed, value=1)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: float8_e5m2_x4 packs four values; it can be filled with 0 only, not with 1
# help: fill a tile of the unpacked dtype and convert it with nisa.quantize_mx
