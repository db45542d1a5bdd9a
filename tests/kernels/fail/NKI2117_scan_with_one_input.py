# expect: NKI2117 at line 10
"""An operator of a scan has two inputs."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_tensor_scan(t, t, t, 0.0, nl.abs, nl.add)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_tensor_scan has no operator abs; it supports abs_max, abs_min, add, divide, equal,
#   fmod, greater, greater_equal, less, less_equal, logical_and, logical_or, logical_xor, maximum,
#   minimum, mod, multiply, not_equal, subtract
# help: choose another operator or another instruction
