# expect: NKI2103 at line 15
"""A product whose operands are of unequal partitions."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    left = nl.load(x)
    product = nisa.nc_matmul(left[0:64], left)
    nl.store(out[0:64], product)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: operand `moving` has K = 128, and `stationary` gives K = 64; nc_matmul needs them equal
# help: give both K = 64, or check which operand is transposed
