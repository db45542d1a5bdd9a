# expect: NKI2108 at line 18
# target: trn1
"""A mode of later targets."""

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
    nisa.nc_matmul(dst=acc, stationary=w, moving=w, perf_mode=nisa.matmul_perf_mode.double_row)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: perf_mode=double_row needs trn2 (cayman) or newer; this kernel is compiled for trn1 (sunda)
# help: compile for trn2 (cayman), or guard the call with nisa.get_nc_version()
