# expect: NKI2206 at line 18
# target: trn2
"""A fast mode on half of the columns."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    w = nl.ndarray((128, 2, 64), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    nisa.memset(dst=w, value=0)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(
        dst=acc,
        stationary=w,
        moving=w,
        tile_position=(0, 0),
        tile_size=(128, 64),
        perf_mode=nisa.matmul_perf_mode.double_row,
    )
    nisa.dma_copy(dst=out, src=t)
    return out


# says: perf_mode double_row cannot be combined with column tiles; tile_size is (128, 64)
# help: use a tile_size with 128 columns
