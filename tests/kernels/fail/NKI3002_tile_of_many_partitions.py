# expect: NKI3002 at line 13
"""A tile of more partitions than there are."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((256, 64), dtype=x.dtype, buffer=nl.sbuf)
    nl.store(out, tile[0:128])
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: the first dimension is 256; a tile on trn1 (sunda) has at most 128 partitions
# help: loop over pieces of nl.tile_size.pmax rows, or move rows into the free dimension
