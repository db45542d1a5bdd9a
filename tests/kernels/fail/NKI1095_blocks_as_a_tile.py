# expect: NKI1095 at line 14
"""A function of a tensor with blocks before its partition dimension."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.zeros((4, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)
    nl.store(out, nl.exp(tiles))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: tiles of (4, 128, 64) has blocks before its partition dimension, which is dimension 1
# help: choose a block: tiles[0]
