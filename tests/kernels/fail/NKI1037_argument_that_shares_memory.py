# expect: NKI1037 at line 18
"""A kernel writes an argument, and another one is a part of the same array."""

import numpy as np

import nki
import nki.language as nl


@nki.jit
def kernel(x, y):
    nl.store(x, nl.load(y))
    return x


def main():
    array = np.zeros((256, 64), np.float32)
    return nki.simulate(kernel)(array[0:128], array[64:192])


# says: `x` is written by the kernel and shares memory with `y`
# help: pass a copy of one of them
