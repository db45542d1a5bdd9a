# expect: NKI1082 at line 14
"""Masks that are combined by `and`."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    tile = nl.load(x[p, f], mask=(p < 100 and f < 50))
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: a condition (`if`, `and`, `or`, `not`) needs a number; a mask stands for many
# help: use mask= to choose elements, and `&` to combine masks; loop with nl.static_range where
#   Python has to decide
