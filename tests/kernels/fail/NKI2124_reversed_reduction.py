# expect: NKI2124 at line 10
"""reverse0 of tensor_scalar_reduce is not supported."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_scalar_reduce(t, t, nl.subtract, 1.0, nl.add, reverse0=True)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `reverse0` of tensor_scalar_reduce is True; allowed: False (not supported yet)
# help: give `reverse0` what is allowed
