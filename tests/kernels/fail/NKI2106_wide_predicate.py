# expect: NKI2106 at line 11
"""A selection by a predicate of 32 bits."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.int32)
    nisa.select_reduce(t, some, t, 0.0)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `predicate` is int32; select_reduce accepts uint8, int8, uint16, int16 on trn3
#   (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
