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
