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


# says: the kernel writes its argument `x`, which it may not: it is read-only
# help: allocate an output with nl.ndarray(..., buffer=nl.shared_hbm), write and return that; in the
#   0.1 language annotate the parameter as nki.typing.mutable_tensor and return it
