# expect: NKI1082 at line 14
"""A condition that depends on nl.arange."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    if p < 64:
        nl.store(out[p, f], nl.load(x[p, f]))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: a condition (`if`, `and`, `or`, `not`) needs a number; a mask stands for many
# help: use mask= to choose elements, and `&` to combine masks; loop with nl.static_range where
#   Python has to decide
