# expect: NKI1022 at line 18
"""A kernel that writes an array which is read-only."""

import numpy as np

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.store(x, nl.load(x))


def main():
    x = np.zeros((128, 64), np.float32)
    x.flags.writeable = False
    return kernel(x)
