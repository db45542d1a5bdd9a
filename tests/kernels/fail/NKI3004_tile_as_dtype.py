# expect: NKI3004 at line 11
"""A tile in the place of its dtype."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.load(x)
    out = nl.ndarray(x.shape, t, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: <float32[128, 64] in sbuf> is not a dtype that tensors can have
# help: use a dtype of nl, for example nl.float32, nl.bfloat16 or nl.int32
