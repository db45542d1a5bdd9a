# expect: NKI3040 at line 14
"""The last trip of a loop reads beyond the end of its array."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        nl.store(out[i * 64 : (i + 1) * 64], nl.load(x[i * 96 : i * 96 + 64]))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: indices 0 to 159 of dimension 0 of x are not inside of its 128
# help: mask what is outside: mask=(i < 128), or shorten the loop
