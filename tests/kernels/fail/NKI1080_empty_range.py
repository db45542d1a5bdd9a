# expect: NKI1080 at line 13
"""An index range without a place."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[nl.arange(0)[:, None], nl.arange(64)[None, :]])
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: nl.arange was given 0; it takes integers, and a range that is not empty
# help: write nl.arange(128) or nl.mgrid[0:128, 0:512], with numbers known while tracing
