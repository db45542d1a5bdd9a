# expect: NKI2117 at line 10
"""Accumulators of the Vector engine do not subtract."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_scalar_reduce(t, t, nl.add, 1.0, nl.subtract)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_scalar_reduce has no operator subtract; it supports add, maximum, minimum, multiply
# help: choose another operator or another instruction
