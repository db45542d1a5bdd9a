# expect: NKI2123 at line 14
# target: trn2
"""A product that transposes has no double rows."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    pair = nl.zeros((128, 2, 64), nl.float8_e4m3)
    sums = nl.ndarray((64, 64), nl.float8_e4m3, nl.psum)
    rows = nisa.matmul_perf_mode.double_row
    nisa.nc_matmul(sums, pair, pair, is_transpose=True, perf_mode=rows)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `perf_mode` must not be given when is_transpose is set
# help: leave `perf_mode` out
