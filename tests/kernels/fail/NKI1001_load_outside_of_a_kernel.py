# expect: NKI1001 at line 10
"""A tile that is loaded outside of a kernel."""

import numpy as np

import neuronxcc.nki.language as nl


def kernel(x):
    return nl.load(x)


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: `nl.load` was called outside of a kernel
# help: call it from a function decorated with @nki.jit, or from a function such a kernel calls
