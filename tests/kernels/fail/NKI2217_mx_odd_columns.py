# expect: NKI2217 at line 21
# target: trn3
"""Stationary columns come in pairs."""

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
    acc = nl.ndarray((15, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(acc, q[:, 0:15], q, s[:, 0:15], s)
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: operand `stationary` has 15 elements per partition; nc_matmul_mx needs a multiple of 2
# help: pad `stationary` with zeros to a multiple of 2
