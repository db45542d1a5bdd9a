# expect: NKI1085 at line 16
"""A product that a mask cuts to a triangle."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    m, n = nl.arange(64)[:, None], nl.arange(64)[None, :]
    tile = nl.load(x)
    product = nisa.nc_matmul(tile, tile, mask=(m >= n))
    nl.store(out[0:64], product)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: a comparison of the mask concerns dimensions (0, 1) of the tile together, which leaves no
#   box
# help: compare one dimension at a time; nisa.affine_select chooses by a comparison of several
