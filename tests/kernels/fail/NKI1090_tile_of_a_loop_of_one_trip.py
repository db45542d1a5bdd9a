# expect: NKI1090 at line 15
"""A loop of one trip has tiles of its own, too."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for _i in nl.affine_range(1):
        tile = nl.load(x)
    nl.store(out, nl.exp(tile))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: `tile` was made on line 14, in the body of the loop over `_i` (line 13), and does not exist
#   outside of a trip of it
# help: make `tile` before the loop with nl.ndarray or nl.zeros, and write tile[...] inside
