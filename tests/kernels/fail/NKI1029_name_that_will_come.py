# expect: NKI1029 at line 10
"""A function of the language that does not exist here yet."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.gather_flattened(x, x)
    return x
