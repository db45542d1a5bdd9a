# expect: NKI1011 at line 17
"""NumPy"s default dtype."""

import numpy as np

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    return out


def main():
    return nki.simulate(kernel)(np.zeros((128, 64)))


# says: array `x` has dtype float64, which no engine can read
# help: convert it before the call: x.astype(np.float32)
