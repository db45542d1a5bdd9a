# expect: NKI1081 at line 14
"""A mask that is not affine."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    tile = nl.load(x[p, f], mask=(p % 2 < 1))
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: 0 over [128, 1] % 2 is no sum of indices times numbers
# help: keep indices and masks affine: add, subtract, and multiply by numbers; compute anything else
#   in Python from plain numbers, or in tiles
