# expect: NKI2123 at line 12
"""A selection that is idle has no maximum."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.uint8)
    v = nl.ndarray((128, 1), nl.float32)
    nisa.select_reduce(t, some, t, 0.0, reduce_res=v)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `reduce_res` must not be given when reduce_cmd is idle
# help: leave `reduce_res` out
