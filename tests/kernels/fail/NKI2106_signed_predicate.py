# expect: NKI2106 at line 11
"""A copy by a predicate that has a sign."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.int8)
    nisa.tensor_copy_predicated(t, t, some)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `predicate` is int8; tensor_copy_predicated accepts uint8, uint16, uint32 on trn3
#   (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
