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


# says: kernel argument `endless` is list, which a kernel cannot take: it contains itself, or is
#   nested too deeply
# help: pass arrays, numbers, strings, bool, None, tuples, enumeration members, or objects whose
#   class derives from nl.NKIObject
