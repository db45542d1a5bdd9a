# expect: NKI1084 at line 13
"""An index that mixes slices with nl.arange."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[nl.arange(128)[:, None], 0:64])
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: an index of x mixes slices with nl.arange or nl.mgrid
# help: write index expressions for all dimensions, or slices for all
