# expect: NKI2107 at line 15
"""A scale that differs from element to element."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, nisa.activation(nl.exp, tile, scale=tile))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: operand `scale` has shape (128, 64); activation needs (128, 1)
# help: slice `scale` to (128, 1)
