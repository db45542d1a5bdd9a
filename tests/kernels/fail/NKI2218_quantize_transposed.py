# expect: NKI2218 at line 19
# target: trn3
"""The four values of an element are sixteen apart."""

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
    nisa.quantize_mx(q, t.reshape((128, 4, 16)).permute((0, 2, 1)), s)
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: quantize_mx reads `src` four values at a time, and the last dimension steps by 16
# help: copy `src` with nisa.tensor_copy so that the four values of an element are neighbours
