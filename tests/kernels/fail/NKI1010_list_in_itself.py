# expect: NKI1010 at line 17
"""A list that contains itself as an argument."""

import numpy as np

import nki


@nki.jit
def kernel(x, endless):
    return x


def main():
    endless = []
    endless.append(endless)
    kernel(np.zeros((128, 64), np.float32), endless)
