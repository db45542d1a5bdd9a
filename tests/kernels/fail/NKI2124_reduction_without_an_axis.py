# expect: NKI2124 at line 10
"""A reduction over no axis."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_reduce(t, nl.add, t, ())
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `axis` of tensor_reduce is (); allowed: one or more of the axes 1 to 1
# help: give `axis` what is allowed
