# expect: NKI1094 at line 13
"""An index made of nl.arange without a second dimension."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[nl.arange(128), 0])
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: index 0 of x is nl.arange without a second dimension
# help: say which dimension of the tile it counts along: nl.arange(128)[:, None] for partitions,
#   nl.arange(512)[None, :] for elements
