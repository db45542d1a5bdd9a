# expect: NKI2117 at line 10
"""An affine selection with an operator that does not compare."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.affine_select(t, [[1, 64]], 1, t, 0.0, cmp_op=nl.add)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: affine_select has no operator add; it supports equal, not_equal, greater, greater_equal,
#   less, less_equal
# help: choose another operator or another instruction
