# expect: NKI2101 at line 10
"""NumPy's broadcasting of a column and a row."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.subtract(nl.load(x[:, 0:1]), nl.load(x[0:1]))
    return x
