# expect: NKI2208 at line 21
# target: trn3
"""MX products start at column 0."""

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
    acc = nl.ndarray((16, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(
        acc, q[0:32], q[0:32], s[0:32], s[0:32], tile_position=(0, 64), tile_size=(32, 128)
    )
    nisa.dma_copy(dst=out, src=wide)
    return out


# says: tile_position has column 64, which is not a multiple of the tile's 128 below 128
# help: start at a multiple of 128
