# expect: NKI2124 at line 11
"""tensor_scalar_reduce always reduces."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    reset = nisa.reduce_cmd.reset
    nisa.tensor_scalar_reduce(t, t, nl.add, 1.0, nl.add, reduce_cmd=reset)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `reduce_cmd` of tensor_scalar_reduce is reset; allowed: reset_reduce, reduce, load_reduce
# help: give `reduce_cmd` what is allowed
