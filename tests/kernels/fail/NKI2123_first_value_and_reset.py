# expect: NKI2123 at line 10
"""A first value for a sum that is reset."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_scalar_reduce(t, t, nl.add, 1.0, nl.add, reduce_init=0.0)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `reduce_init` must not be given when reduce_cmd is reset_reduce
# help: leave `reduce_init` out
