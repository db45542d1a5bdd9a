# expect: NKI1086 at line 14
"""A mask over more places than the tile has."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(64)[:, None]
    tile = nl.load(x, mask=(p < 5))
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: a mask of [64, 1] for a tile of [128, 64] is no mask for this call
# help: make masks by comparing the index expressions of the tile: mask=(i_p < n)
