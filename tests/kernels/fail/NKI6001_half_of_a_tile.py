# expect: NKI6001 at line 11
"""The second half of a tile is read that nothing has written."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.ndarray((128, 64), nl.float32)
    nisa.memset(t[:, 0:32], 0.0)
    nisa.tensor_scalar(t, t, nl.add, 1.0)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_scalar reads `data`: 4096 element(s) of `t` were never written, the first at (0, 32)
# help: write `t` first, with nisa.memset or by covering all of it; strict mode makes this an error
