# expect: NKI2711 at line 20
"""Three arrays for two ranks."""

import numpy as np

import nki
import nki.language as nl
import opennki


@nki.jit
def copy(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


def main():
    x = np.zeros((4, 8), np.float32)
    return opennki.launch(copy, ranks=2)([x, x, x])


# says: argument `x` of a launch on 2 ranks has 3 items
# help: pass a list with one value per rank, all of one shape and dtype, or one array for all
