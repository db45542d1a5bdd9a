# expect: NKI1091 at line 15
"""Every trip of an affine loop writes the first block."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((4, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)
    for _i in nl.affine_range(4):
        tiles[0] = nl.load(x)
    nl.store(out, tiles[0])
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: the 4 trips of the loop over `_i` (line 14) write the same elements of `tiles`
# help: let `_i` choose the place that is written, or loop with nl.sequential_range
