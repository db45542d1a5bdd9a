# expect: NKI1026 at line 18
"""A launch grid inside of a kernel of the first generation."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def inner(x):
    return nl.load(x)


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, inner[2](x))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: kernel `inner` is called with grid (2,) from inside another kernel
# help: call `inner` without a grid; it is inlined and runs on the caller's cores
