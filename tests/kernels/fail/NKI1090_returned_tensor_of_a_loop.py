# expect: NKI1090 at line 15
"""A tensor that is made in a loop and returned."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    for _i in nl.affine_range(2):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.hbm)
        nl.store(out, nl.load(x))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: `out` was made on line 13, in the body of the loop over `_i` (line 12), and does not exist
#   outside of a trip of it
# help: make `out` before the loop with nl.ndarray or nl.zeros, and write out[...] inside
