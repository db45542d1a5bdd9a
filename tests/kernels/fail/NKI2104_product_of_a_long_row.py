# expect: NKI2104 at line 16
"""A product whose moving operand has too many elements."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    left = nl.load(x)
    right = nl.zeros((128, 1024), dtype=x.dtype, buffer=nl.sbuf)
    product = nisa.nc_matmul(left, right)
    nl.store(out[0:64], product[:, 0:64])
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: operand `moving` has N = 1024; nc_matmul takes at most 512 on trn1 (sunda)
# help: split `moving` into pieces of at most 512 along N; nl.tile_size names the limits
