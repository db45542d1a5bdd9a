# expect: NKI1091 at line 15
"""Trips of an affine loop that store 16 rows, 8 apart."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(8):
        rows = nl.load(x[i * 16 : (i + 1) * 16])
        nl.store(out[i * 8 : i * 8 + 16], rows)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: the 8 trips of the loop over `i` (line 13) write the same elements of `out`
# help: let `i` choose the place that is written, or loop with nl.sequential_range
