# expect: NKI2124 at line 11
"""A selection has nothing to load."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.uint8)
    nisa.select_reduce(t, some, t, 0.0, reduce_cmd=nisa.reduce_cmd.load_reduce)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `reduce_cmd` of select_reduce is load_reduce; allowed: idle, reduce, reset_reduce
# help: give `reduce_cmd` what is allowed
