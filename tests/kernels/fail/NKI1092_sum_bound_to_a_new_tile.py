# expect: NKI1092 at line 15
"""A running sum that is bound to a new tile in each trip."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.load(x)
    for _i in nl.sequential_range(4):
        total = nl.add(total, nl.load(x))
    nl.store(out, total)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: `total`, made on line 13, is bound to a new tile in the body of the loop over `_i` (line
#   14), and each trip reads what was there before the loop
# help: write into the tile instead: total[...] = ... or total += ...
