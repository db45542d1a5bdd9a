# expect: NKI1012 at line 17
"""An array without elements."""

import numpy as np

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    return out


def main():
    return nki.simulate(kernel)(np.zeros((0, 64), np.float32))


# says: array `x` has no elements: its shape is (0, 64)
# help: call the kernel only when there is something to compute, or pad the array
