# expect: NKI1010 at line 17
"""A set is no kernel argument."""

import numpy as np

import nki
import nki.language as nl


@nki.jit
def kernel(x, sizes):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    return out


def main():
    return nki.simulate(kernel)(np.zeros((128, 64), np.float32), {1, 2})
