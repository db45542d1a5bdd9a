# expect: NKI1093 at line 14
"""A tile that is assigned to one of its columns."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    column = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    column[...] = nl.load(x)
    nl.store(out[:, 0:1], column)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: a value of (128, 64) is assigned to (128, 1) of `column`
# help: assign a part of the value, or make `column` larger
