# expect: NKI2117 at line 10
"""scalar_tensor_tensor has no operators on bits."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.scalar_tensor_tensor(t, t, nl.bitwise_and, 1.0, nl.add, t)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: scalar_tensor_tensor has no operator bitwise_and; it supports abs_max, abs_min, add, divide,
#   equal, fmod, greater, greater_equal, less, less_equal, logical_and, logical_or, logical_xor,
#   maximum, minimum, mod, multiply, not_equal, subtract
# help: choose another operator or another instruction
