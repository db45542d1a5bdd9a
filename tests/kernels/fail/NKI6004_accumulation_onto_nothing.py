# expect: NKI6004 at line 12
# target: trn2
"""A product is added to PSUM that nothing has written."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    a = nl.load(x)
    acc = nl.ndarray((64, 64), nl.float32, nl.psum)
    nisa.nc_matmul(acc, a, a, accumulate=True)
    t = nl.copy(acc)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: nc_matmul accumulates onto `acc`, which no overwriting matmul has written
# help: pass accumulate=(k > 0) so that the first matmul overwrites, or leave accumulate out
