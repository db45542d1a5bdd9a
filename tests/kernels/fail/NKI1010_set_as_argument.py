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


# says: kernel argument `sizes` is set, which a kernel cannot take: it is no value of the language
# help: pass arrays, numbers, strings, bool, None, tuples, enumeration members, or objects whose
#   class derives from nl.NKIObject
