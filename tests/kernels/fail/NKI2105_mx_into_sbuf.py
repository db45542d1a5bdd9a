# expect: NKI2105 at line 21
# target: trn3
"""Products are summed in PSUM."""

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
    q = nl.ndarray((128, 16), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
    s = nl.ndarray((128, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst=q, src=t, dst_scale=s)
    acc = nl.ndarray((16, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_matmul_mx(acc, q, q, s, s)
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `dst` is in sbuf; nc_matmul_mx writes it to psum
# help: allocate `dst` in psum and copy the result from there
