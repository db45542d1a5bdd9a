# expect: NKI2117 at line 11
"""A selection that keeps the minimum."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.uint8)
    nisa.select_reduce(t, some, t, 0.0, reduce_op=nl.minimum)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: select_reduce has no operator minimum; it supports maximum
# help: choose another operator or another instruction
