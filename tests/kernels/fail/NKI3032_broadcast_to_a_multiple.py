# expect: NKI3032 at line 10
"""A dimension that is not 1 cannot be repeated."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.broadcast_to(nl.load(x[0:32]), (128, x.shape[1]))
    return x
