# expect: NKI2106 at line 15
"""A scale of integers."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    scale = nl.zeros((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nl.store(out, nisa.activation(nl.exp, nl.load(x), scale=scale))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: operand `scale` is int32; activation accepts float32 on trn1 (sunda)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
