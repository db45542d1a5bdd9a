# expect: NKI2107 at line 11
"""bn_stats gives six numbers for each partition."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.ndarray((128, 5), nl.float32)
    nisa.bn_stats(some, t)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `dst` has shape (128, 5); bn_stats needs (128, 6)
# help: make `dst` a tile of (128, 6)
