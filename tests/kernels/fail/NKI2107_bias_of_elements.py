# expect: NKI2107 at line 10
"""The bias of an activation is a whole tile."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.activation(t, nl.exp, t, bias=t)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `bias` has shape (128, 64); activation needs (128, 1)
# help: slice `bias` to (128, 1)
