# expect: NKI2107 at line 10
"""A scan starts with one value for each partition."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_tensor_scan(t, t, t, t, nl.multiply, nl.add)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `initial` has shape (128, 64); tensor_tensor_scan needs (128, 1)
# help: slice `initial` to (128, 1)
