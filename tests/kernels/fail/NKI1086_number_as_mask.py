# expect: NKI1086 at line 13
"""A mask that is a number."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x, mask=5)
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: 5 is no mask for this call
# help: make masks by comparing the index expressions of the tile: mask=(i_p < n)
