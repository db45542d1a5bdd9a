# expect: NKI2116 at line 12
"""A copy by a predicate does not convert."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.uint8)
    half = nl.zeros(t.shape, nl.bfloat16)
    nisa.tensor_copy_predicated(t, half, some)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `dst` is float32 and `src` is bfloat16; tensor_copy_predicated needs one dtype for both
# help: allocate `dst` as bfloat16, or convert one of them with nisa.tensor_copy
