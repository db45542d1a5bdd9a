# expect: NKI1007 at line 16
"""One argument by position and by name."""

import numpy as np

import nki


@nki.jit
def kernel(x):
    return x


def main():
    x = np.zeros((128, 64), np.float32)
    kernel(x, x=x)


# says: `x` of `kernel` must be given once, and is given by position and by name
# help: pass given once
