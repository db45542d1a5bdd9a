# expect: NKI1098 at line 14
"""An assignment to an element of an index."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    p[0] = 5
    nl.store(out, nl.load(x))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: elements of an index cannot be assigned
# help: compute another index: an index stands for a place that is counted, not for memory
