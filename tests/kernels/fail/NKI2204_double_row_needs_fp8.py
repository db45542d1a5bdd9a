# expect: NKI2204 at line 18
# target: trn2
"""A fast mode with 16-bit operands."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    w = nl.ndarray((128, 2, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=w, value=0)
    acc = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=w, moving=w, perf_mode=nisa.matmul_perf_mode.double_row)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: perf_mode double_row needs 8-bit floats, and `stationary` is bfloat16
# help: convert `stationary` to float8_e4m3 or float8_e5m2, or leave perf_mode out
