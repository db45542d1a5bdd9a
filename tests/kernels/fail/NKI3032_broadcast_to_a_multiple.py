# expect: NKI3032 at line 10
"""A dimension that is not 1 cannot be repeated."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.broadcast_to(nl.load(x[0:32]), (128, x.shape[1]))
    return x


# says: a tile of shape (32, 64) cannot be broadcast to (128, 64): dimension 0 has size 32, not 1 or
#   128
# help: give both shapes the same number of dimensions; only dimensions of size 1 are repeated
