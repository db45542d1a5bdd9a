# expect: NKI3040 at line 14
"""A row that the mask does not leave out."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    tile = nl.load(x[p + 10, f], mask=(p < 119))
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: indices 10 to 128 of dimension 0 of x are not inside of its 128
# help: mask what is outside: mask=(i < 128), or shorten the loop
