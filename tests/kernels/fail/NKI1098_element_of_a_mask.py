# expect: NKI1098 at line 14
"""An assignment to an element of a mask."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    mask = nl.arange(128)[:, None] < 64
    mask[0] = True
    nl.store(out, nl.load(x))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: elements of a mask cannot be assigned
# help: compute another index: a mask stands for a place that is counted, not for memory
