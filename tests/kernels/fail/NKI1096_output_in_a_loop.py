# expect: NKI1096 at line 13
"""An output that is made in a loop."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    for _i in nl.affine_range(4):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(x))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: `out` is made in shared HBM in the body of the loop over `_i` (line 12)
# help: make it before the loop, with a dimension for the trips if each has its own part
